// As much of msgpack as a bot needs: Debian has no crate that reads values of any kind.

#[derive(Default)]
pub struct Value {
    pub number: f64,       // true is 1; what is no number, or a negative whole one, 0
    pub bytes: Vec<u8>,    // of a text or bin
    pub items: Vec<Value>, // of an array, or keys and values of a map in turn
}

impl Value {
    pub fn get(&self, key: &str) -> &Value {
        let mut pairs = self.items.chunks(2);
        let found = pairs.find(|pair| pair[0].bytes == key.as_bytes());
        &found.expect(key)[1]
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

fn take<'a>(from: &mut &'a [u8], size: u64) -> &'a [u8] {
    let (head, rest) = from.split_at(size as usize);
    *from = rest;
    head
}

fn whole(from: &mut &[u8], size: u64) -> u64 {
    take(from, size)
        .iter()
        .fold(0, |high, low| high << 8 | u64::from(*low))
}

pub fn read(from: &mut &[u8]) -> Value {
    let tag = whole(from, 1);
    let count = match tag {
        0x80..=0x9f => tag & 15,
        0xa0..=0xbf => tag & 31,
        0xc4..=0xc6 | 0xcc..=0xd3 => whole(from, 1 << (tag & 3)),
        0xca..=0xcb => whole(from, 4 << (tag & 1)),
        0xd9..=0xdb => whole(from, 1 << (tag - 0xd9)),
        0xdc..=0xdf => whole(from, 2 << (tag & 1)),
        _ => tag,
    };
    let mut value = Value::default();
    match tag {
        0x00..=0x7f | 0xcc..=0xcf => value.number = count as f64,
        0xc3 => value.number = 1.0,
        0xca => value.number = f32::from_bits(count as u32).into(),
        0xcb => value.number = f64::from_bits(count),
        0xa0..=0xbf | 0xc4..=0xc6 | 0xd9..=0xdb => value.bytes = take(from, count).to_vec(),
        0x80..=0x8f | 0xde..=0xdf => value.items = (0..2 * count).map(|_| read(from)).collect(),
        0x90..=0x9f | 0xdc..=0xdd => value.items = (0..count).map(|_| read(from)).collect(),
        _ => {}
    }
    value
}

pub fn text(text: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = text.as_ref();
    [&[0xd9, bytes.len() as u8], bytes].concat()
}

pub fn int(number: u64) -> Vec<u8> {
    [&[0xcf], &number.to_be_bytes()[..]].concat()
}

pub fn array(items: &[Vec<u8>]) -> Vec<u8> {
    [&[0x90 + items.len() as u8], &items.concat()[..]].concat()
}

pub fn map(pairs: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let items = pairs
        .iter()
        .map(|(key, value)| [text(key), value.to_vec()].concat());
    [vec![0x80 + pairs.len() as u8], items.flatten().collect()].concat()
}
