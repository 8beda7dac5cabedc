// A bot for tables in Rust. What it does, and how to compile it: README.md.
mod msgpack;

use msgpack::{array, int, map, text};
use std::ffi::CString;
use std::os::raw::{c_char, c_void};

#[link(name = "zmq")]
extern "C" {
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_socket(context: *mut c_void, kind: i32) -> *mut c_void; // kind 5 is DEALER
    fn zmq_connect(socket: *mut c_void, endpoint: *const c_char) -> i32;
    fn zmq_send(socket: *mut c_void, bytes: *const u8, size: usize, flags: i32) -> i32;
    fn zmq_recv(socket: *mut c_void, bytes: *mut u8, size: usize, flags: i32) -> i32;
}

fn choose(observation: &[u8], mask: &[u8]) -> u64 {
    let ids = 0..mask.len();
    let legal: Vec<usize> = ids.filter(|action| mask[*action] == 1).collect();
    let sum: usize = observation.iter().map(|byte| *byte as usize).sum();
    legal[sum % legal.len()] as u64
}

fn stop(status: i32, reason: &str) -> ! {
    eprintln!("{reason}");
    std::process::exit(status)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 5 {
        stop(2, "usage: bot ENDPOINT TABLE GAME SEED");
    }
    let endpoint = CString::new(&arguments[1][..]).unwrap();
    let terms = map(&[
        ("table", text(&arguments[2])),
        ("game", text(&arguments[3])),
        ("seed", int(arguments[4].parse().expect("SEED is a number"))),
        ("games", int(3)),
        ("options", text("num_players=2")),
        ("bots", array(&[text("greedy")])),
    ]);

    let server = unsafe { zmq_socket(zmq_ctx_new(), 5) };
    unsafe { zmq_connect(server, endpoint.as_ptr()) };
    let say = |message: &[Vec<u8>]| {
        let bytes = array(message);
        unsafe { zmq_send(server, bytes.as_ptr(), bytes.len(), 0) };
    };
    say(&[text("hello"), int(0), map(&[("client", text("Rust"))])]);
    let mut frame = vec![0; 1 << 20];
    loop {
        let size = unsafe { zmq_recv(server, frame.as_mut_ptr(), frame.len(), 0) };
        let message = msgpack::read(&mut &frame[..size as usize]).items;
        match (&message[0].text()[..], message[1].number as u64) {
            ("ok", 0) => say(&[text("sit"), int(1), terms.clone()]),
            ("ok", 2) => break,
            ("turn", turn) => {
                let action = choose(&message[3].bytes, &message[4].bytes);
                say(&[text("act"), int(turn), int(action)]);
            }
            ("end", _) if message[2].get("over").number == 1.0 => {
                for player in &message[2].get("totals").items {
                    let (name, wins) = (player.get("name").text(), player.get("wins").number);
                    let returns = player.get("returns").number;
                    println!("{name}: {wins} wins, returns {returns:.1}");
                }
                say(&[text("bye"), int(2)]);
            }
            ("error", _) if message[2].text() != "late" => stop(1, &message[3].text()),
            _ => {} // needs no answer
        }
    }
}
