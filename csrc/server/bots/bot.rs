// A bot for tables in Rust. What it does, and how to compile it: README.md.
mod msgpack;

use msgpack::{array, int, map, text};
use std::ffi::CString;
use std::os::raw::{c_char, c_void};

const PATIENCE: i32 = 3000; // milliseconds without a message, after which the connection counts as lost
const DEALER: i32 = 5;
const LINGER: i32 = 17;
const RCVTIMEO: i32 = 27;

#[link(name = "zmq")]
extern "C" {
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_socket(context: *mut c_void, kind: i32) -> *mut c_void;
    fn zmq_setsockopt(socket: *mut c_void, option: i32, value: *const i32, size: usize) -> i32;
    fn zmq_connect(socket: *mut c_void, endpoint: *const c_char) -> i32;
    fn zmq_close(socket: *mut c_void) -> i32;
    fn zmq_send(socket: *mut c_void, bytes: *const u8, size: usize, flags: i32) -> i32;
    fn zmq_recv(socket: *mut c_void, bytes: *mut u8, size: usize, flags: i32) -> i32;
}

/// A socket of ZeroMQ, which is closed when it is dropped.
struct Socket(*mut c_void);

impl Socket {
    fn connect(context: *mut c_void, endpoint: &CString) -> Socket {
        let socket = unsafe { zmq_socket(context, DEALER) };
        for (option, value) in [(LINGER, 0), (RCVTIMEO, PATIENCE)] {
            unsafe { zmq_setsockopt(socket, option, &value, 4) };
        }
        unsafe { zmq_connect(socket, endpoint.as_ptr()) };
        Socket(socket)
    }

    fn say(&self, message: &[Vec<u8>]) {
        let bytes = array(message);
        unsafe { zmq_send(self.0, bytes.as_ptr(), bytes.len(), 0) };
    }

    /// The size of a message, which is negative if none came.
    fn receive(&self, frame: &mut [u8]) -> i32 {
        unsafe { zmq_recv(self.0, frame.as_mut_ptr(), frame.len(), 0) }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        unsafe { zmq_close(self.0) };
    }
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

    let context = unsafe { zmq_ctx_new() };
    let mut request = vec![text("sit"), int(1), terms];
    let mut is_over = false;
    let mut hello = vec![("client", text("Rust")), ("attempt", int(1))];
    let mut server = Socket::connect(context, &endpoint);
    server.say(&[text("hello"), int(0), map(&hello)]);
    let mut frame = vec![0; 1 << 20];
    for attempt in 2.. {
        let size = server.receive(&mut frame);
        if size < 0 {
            server = Socket::connect(context, &endpoint);
            hello[1].1 = int(attempt);
            server.say(&[text("hello"), int(0), map(&hello)]);
            continue;
        }
        let message = msgpack::read(&mut &frame[..size as usize]).items;
        match (&message[0].text()[..], message[1].number as u64) {
            ("ok", 0) => {
                hello.truncate(2);
                hello.push(("token", text(&message[2].get("token").bytes)));
                server.say(&request);
            }
            ("ok", 2) => break,
            ("turn", turn) => {
                let action = choose(&message[3].bytes, &message[4].bytes);
                server.say(&[text("act"), int(turn), int(action)]);
            }
            ("end", _) if !is_over && message[2].get("over").number == 1.0 => {
                for player in &message[2].get("totals").items {
                    let (name, wins) = (player.get("name").text(), player.get("wins").number);
                    let returns = player.get("returns").number;
                    println!("{name}: {wins} wins, returns {returns:.1}");
                }
                is_over = true;
                request = vec![text("bye"), int(2)];
                server.say(&request);
            }
            ("error", _) => match &message[2].text()[..] {
                "hello" | "storage" | "turn" | "late" => {} // the server says more, or nothing
                "session" if is_over => break,              // the reply to bye was lost
                _ => stop(1, &message[3].text()),
            },
            _ => {} // needs no answer
        }
    }
}
