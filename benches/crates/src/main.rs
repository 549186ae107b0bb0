//! The measured program of `compare crates`: calls of crates from the registry that use rayon. It is built once with rayon and once with our replacement, and
//! does not know with which.
//!
//! It reads lines `CALLS ROW LENGTH` from its standard input. For each it prints the time of the calls in nanoseconds, and a digest of the last result. Where
//! the result depends on the order of threads, the digest covers only what does not.

use std::io::BufRead;
use std::time::Instant;

use kornia_image::{Image, ImageSize};
use kornia_imgproc::interpolation::InterpolationMode::Bilinear;
use kornia_imgproc::{canny, clahe, enhance, flip, resize, threshold, warp};
use rdst::RadixSort as _;
use voracious_radix_sort::RadixSort as _;

/// The nanoseconds of the calls, and a digest of their result.
type Answer = (u128, u64);

/// The nanoseconds of `calls` calls, after one for warm-up.
fn timed(calls: usize, mut call: impl FnMut()) -> u128 {
    call();
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_nanos()
}

/// A digest of all values and their order.
fn digest(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, |sum, value| sum.rotate_left(5).wrapping_add(value).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Pseudo-random numbers, the same at each call.
fn numbers(n: usize) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(1);
    std::iter::repeat_with(|| random.u64(..)).take(n).collect()
}

fn size(width: usize) -> ImageSize {
    [width, width * 3 / 4].into()
}

/// An image of noise with this width.
fn bytes<const C: usize>(width: usize) -> Image<u8, C> {
    let data = numbers(size(width).width * size(width).height * C).into_iter().map(|x| x as u8);
    Image::new(size(width), data.collect()).unwrap()
}

/// The same image with values from 0 to 1.
fn floats<const C: usize>(width: usize) -> Image<f32, C> {
    let data = bytes::<C>(width).as_slice().iter().map(|&x| f32::from(x) / 255.0).collect();
    Image::new(size(width), data).unwrap()
}

/// Calls `call` from one image to another of a different width.
fn of_floats<const C: usize>(
    [from, to]: [usize; 2],
    calls: usize,
    call: impl Fn(&Image<f32, C>, &mut Image<f32, C>),
) -> Answer {
    let (from, mut to) = (floats::<C>(from), floats::<C>(to));
    (timed(calls, || call(&from, &mut to)), digest(to.as_slice().iter().map(|x| u64::from(x.to_bits()))))
}

/// As [`of_floats`], for bytes and with the same width.
fn of_bytes<const C: usize>(width: usize, calls: usize, call: impl Fn(&Image<u8, C>, &mut Image<u8, C>)) -> Answer {
    let (from, mut to) = (bytes::<C>(width), bytes::<C>(width));
    (timed(calls, || call(&from, &mut to)), digest(to.as_slice().iter().map(|&x| u64::from(x))))
}

fn dssim(width: usize, calls: usize) -> Answer {
    let picture = |shift: u32| -> Vec<rgb::RGB<u8>> {
        let color = |x: &[u8]| rgb::RGB::new(x[0] >> shift, x[1], x[2]);
        bytes::<3>(width).as_slice().chunks(3).map(color).collect()
    };
    let (a, b) = (picture(0), picture(1));
    let dssim = dssim_core::Dssim::new();
    let mut distance = 0.0;
    let ns = timed(calls, || {
        let [a, b] = [&a, &b].map(|data| dssim.create_image_rgb(data, width, size(width).height).unwrap());
        distance = f64::from(dssim.compare(&a, b).0);
    });
    // The last digits of a sum of floats depend on the order of additions.
    (ns, (distance * 1e6) as u64)
}

fn sort(n: usize, calls: usize, sort: impl Fn(&mut [u64])) -> Answer {
    let numbers = numbers(n);
    let mut sorted = numbers.clone();
    let ns = timed(calls, || {
        sorted.copy_from_slice(&numbers);
        sort(&mut sorted);
    });
    (ns, digest(sorted))
}

/// A function that maps each key to a different number below `n`; which one is not specified.
fn hash(n: usize, calls: usize) -> Answer {
    let keys = numbers(n);
    let mut hash: Option<ptr_hash::PtrHash> = None;
    let ns = timed(calls, || hash = Some(ptr_hash::PtrHash::new(&keys, ptr_hash::PtrHashParams::default())));
    let mut places: Vec<u64> = hash.iter().flat_map(|hash| keys.iter().map(|key| hash.index(key) as u64)).collect();
    places.sort_unstable();
    (ns, digest(places))
}

#[derive(Clone, Copy)]
struct Point([f32; 8]);

impl instant_distance::Point for Point {
    fn distance(&self, other: &Self) -> f32 {
        self.0.iter().zip(other.0).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }
}

/// A graph of neighbours. It depends on the order in which points are inserted, so the digest covers only the points.
fn graph(n: usize, calls: usize) -> Answer {
    let numbers = numbers(8 * n);
    let point = |at: &[u64]| Point(std::array::from_fn(|i| at[i] as u32 as f32));
    let points: Vec<Point> = numbers.chunks(8).map(point).collect();
    let mut graph = instant_distance::Builder::default().build_hnsw(Vec::<Point>::new()).0;
    let ns = timed(calls, || graph = instant_distance::Builder::default().seed(1).build_hnsw(points.clone()).0);
    let mut first: Vec<u32> = graph.iter().map(|(_, point)| point.0[0].to_bits()).collect();
    first.sort_unstable();
    (ns, digest(first.into_iter().map(u64::from)))
}

/// Four frames, each of two tiles.
fn encode(width: usize, calls: usize) -> Answer {
    use rav1e::prelude::*;
    let noise: Vec<u8> = numbers(width * width).into_iter().map(|x| x as u8).collect();
    let mut encoder = EncoderConfig { width, height: width, tiles: 2, ..Default::default() };
    encoder.speed_settings = SpeedSettings::from_preset(10);
    let config = Config::new().with_encoder_config(encoder);
    let mut packets = Vec::new();
    let ns = timed(calls, || {
        let mut context: Context<u8> = config.new_context().unwrap();
        for _ in 0..4 {
            let mut frame = context.new_frame();
            for plane in &mut frame.planes {
                let stride = plane.cfg.stride;
                let data: Vec<u8> = noise.iter().copied().cycle().take(stride * plane.cfg.height).collect();
                plane.copy_from_raw_u8(&data, stride, 1);
            }
            context.send_frame(frame).unwrap();
        }
        context.flush();
        packets.clear();
        loop {
            match context.receive_packet() {
                Ok(packet) => packets.extend(packet.data),
                Err(EncoderStatus::LimitReached) => break,
                Err(_) => {}
            }
        }
    });
    (ns, digest(packets.into_iter().map(u64::from)))
}

fn row(name: &str, n: usize, calls: usize) -> Answer {
    match name {
        "resize" => of_floats::<3>([n, n / 2], calls, |a, b| resize::resize(a, b, Bilinear).unwrap()),
        "warp_affine" => of_floats::<3>([n, n], calls, |a, b| {
            warp::warp_affine(a, b, &[0.9, 0.1, 2.0, -0.1, 0.9, 3.0], Bilinear).unwrap();
        }),
        "threshold" => of_floats::<1>([n, n], calls, |a, b| threshold::threshold_binary(a, b, 0.5, 1.0).unwrap()),
        "add_weighted" => of_floats::<3>([n, n], calls, |a, b| enhance::add_weighted(a, 0.5, a, 0.5, 0.0, b).unwrap()),
        "flip" => of_bytes::<3>(n, calls, |a, b| flip::horizontal_flip(a, b).unwrap()),
        "canny" => of_bytes::<1>(n, calls, |a, b| canny::canny(a, b, 50.0, 150.0, true).unwrap()),
        "clahe" => of_bytes::<1>(n, calls, |a, b| clahe::clahe(a, b, 2.0, (8, 8)).unwrap()),
        "dssim" => dssim(n, calls),
        "rdst" => sort(n, calls, |v| v.radix_sort_unstable()),
        "voracious" => sort(n, calls, |v| v.voracious_mt_sort(2)),
        "ptr_hash" => hash(n, calls),
        "instant-distance" => graph(n, calls),
        "rav1e" => encode(n, calls),
        _ => panic!("there is no row {name}"),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the one who asks writes text");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [calls, name, n] = words[..] else { panic!("{line:?} is no request") };
        let (ns, digest) = row(name, n.parse().expect("a length"), calls.parse().expect("a count"));
        println!("{ns} {digest}");
    }
}
