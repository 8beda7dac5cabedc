// The start of a page whose modules and content are packed in it, see mhing.web.inline: it unpacks
// them, and gives the content to the module "mhing/start.js".
(async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent), (char) => char.charCodeAt(0));
  const packed = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const { imports, content } = await new Response(packed).json();
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = imports;
  document.head.append(map);
  const { start } = await import("mhing/start.js");
  start(content);
})();
