// Runs a program that was built for WASI, with its arguments: node wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const program = argv[2];
const wasi = new WASI({ version: "preview1", args: argv.slice(2), env, preopens: { "/": "/", ".": "." } });
const module = await WebAssembly.compile(await readFile(program));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
