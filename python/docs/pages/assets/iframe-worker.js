// Browsers start no worker from a file on disk. A hidden frame takes its place there, so that the search works.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.loaded = new Promise((resolve) => this.frame.addEventListener("load", resolve))
      this.frame.srcdoc =
        "<script>postMessage = (data) => parent.postMessage(data, '*')</script>" +
        `<script src="${new URL(url, location.href)}"></script>`
      window.addEventListener("message", ({ source, data }) => {
        if (source === this.frame.contentWindow) {
          this.dispatchEvent(new MessageEvent("message", { data }))
        }
      })
      document.body.append(this.frame)
    }
    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
