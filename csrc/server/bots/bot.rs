// A bot for tables in Rust. What it does, and how to compile it: README.md.
use std::ffi::{c_void, CString};

#[link(name = "zmq")]
extern "C" {
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_socket(context: *mut c_void, kind: i32) -> *mut c_void; // kind 5: DEALER
    fn zmq_connect(socket: *mut c_void, endpoint: *const std::ffi::c_char) -> i32;
    fn zmq_send(socket: *mut c_void, bytes: *const u8, size: usize, flags: i32) -> i32;
    fn zmq_recv(socket: *mut c_void, bytes: *mut u8, size: usize, flags: i32) -> i32;
}

enum Value<'a> {
    Number(f64),         // of any kind; true is 1
    Bytes(&'a [u8]),     // bin or text
    Items(Vec<Value<'a>>), // an array, or the keys and values of a map in turn
}
use Value::*;

fn take<'a>(from: &mut &'a [u8], size: usize) -> &'a [u8] {
    let (head, rest) = from.split_at(size);
    *from = rest;
    head
}

fn number(from: &mut &[u8], size: usize) -> usize {
    take(from, size).iter().fold(0, |number, byte| number << 8 | *byte as usize)
}

fn read<'a>(from: &mut &'a [u8]) -> Value<'a> {
    let tag = number(from, 1);
    let mut items = |count| Items((0..count).map(|_| read(from)).collect());
    match tag {
        0x80..=0x8f => items(2 * (tag & 15)),
        _ => Number(0.0),
    }
}
