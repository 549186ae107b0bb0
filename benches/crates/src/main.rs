//! What `compare crates` measures: calls of crates from the registry that use rayon, in a program that does not know whose `rayon` they got.
//!
//! It reads lines `ROW LENGTH PLACE CALLS` from its standard input, of which `PLACE` is not looked at. To each it answers how many nanoseconds the calls took, and a
//! digest of what they computed. Where that depends on the order of threads, the digest is of what does not.

use std::io::BufRead;
use std::time::Instant;

use kornia_image::{Image, ImageSize};
use kornia_imgproc::interpolation::InterpolationMode::Bilinear;
use kornia_imgproc::{canny, clahe, enhance, flip, resize, threshold, warp};
use rdst::RadixSort as _;
use voracious_radix_sort::RadixSort as _;

/// A call with its input; it returns a digest.
type Call = Box<dyn FnMut() -> u64>;

/// Pseudo-random numbers, the same each time.
fn numbers(n: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
    .take(n)
    .collect()
}

fn size(width: usize) -> ImageSize {
    [width, width * 3 / 4].into()
}

/// A picture so wide, of noise.
fn bytes<const C: usize>(width: usize) -> Image<u8, C> {
    let data = numbers(size(width).width * size(width).height * C).into_iter().map(|x| x as u8);
    Image::new(size(width), data.collect()).unwrap()
}

/// The same, from 0 to 1.
fn floats<const C: usize>(width: usize) -> Image<f32, C> {
    let data = bytes::<C>(width).as_slice().iter().map(|&x| f32::from(x) / 255.0).collect();
    Image::new(size(width), data).unwrap()
}

/// A call from one picture to another.
fn of_floats<const C: usize>(
    width: usize,
    to: usize,
    call: impl Fn(&Image<f32, C>, &mut Image<f32, C>) + 'static,
) -> Call {
    let (from, mut to) = (floats::<C>(width), floats::<C>(to));
    Box::new(move || {
        call(&from, &mut to);
        let all = to.as_slice();
        u64::from(all[all.len() / 2].to_bits())
    })
}

/// As [`of_floats`], of bytes.
fn of_bytes<const C: usize>(width: usize, call: impl Fn(&Image<u8, C>, &mut Image<u8, C>) + 'static) -> Call {
    let (from, mut to) = (bytes::<C>(width), bytes::<C>(width));
    Box::new(move || {
        call(&from, &mut to);
        let all = to.as_slice();
        u64::from(all[all.len() / 2])
    })
}

fn dssim(width: usize) -> Call {
    let picture = |shift: u32| -> Vec<rgb::RGB<u8>> {
        let color = |x: &[u8]| rgb::RGB::new(x[0] >> shift, x[1], x[2]);
        bytes::<3>(width).as_slice().chunks(3).map(color).collect()
    };
    let (a, b) = (picture(0), picture(1));
    let dssim = dssim_core::Dssim::new();
    Box::new(move || {
        let [a, b] = [&a, &b].map(|data| dssim.create_image_rgb(data, width, size(width).height).unwrap());
        // The order of a sum of floats shows in the last digits.
        (f64::from(dssim.compare(&a, b).0) * 1e6) as u64
    })
}

fn sort(n: usize, sort: impl Fn(&mut [u64]) + 'static) -> Call {
    let numbers = numbers(n);
    let mut sorted = numbers.clone();
    Box::new(move || {
        sorted.copy_from_slice(&numbers);
        sort(&mut sorted);
        sorted[n / 2]
    })
}

fn hash(n: usize) -> Call {
    let keys = numbers(n);
    Box::new(move || {
        let hash = <ptr_hash::PtrHash>::new(&keys, ptr_hash::PtrHashParams::default());
        u64::from(hash.index(&keys[0]) < n)
    })
}

#[derive(Clone, Copy)]
struct Point([f32; 8]);

impl instant_distance::Point for Point {
    fn distance(&self, other: &Self) -> f32 {
        self.0.iter().zip(other.0).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }
}

fn graph(n: usize) -> Call {
    let numbers = numbers(8 * n);
    let point = |at: &[u64]| Point(std::array::from_fn(|i| at[i] as u32 as f32));
    let points: Vec<Point> = numbers.chunks(8).map(point).collect();
    Box::new(move || {
        let (_, ids) = instant_distance::Builder::default().seed(1).build_hnsw(points.clone());
        ids.len() as u64
    })
}

/// Four frames, in two tiles each.
fn encode(width: usize) -> Call {
    use rav1e::prelude::*;
    let noise: Vec<u8> = numbers(width * width).into_iter().map(|x| x as u8).collect();
    let mut encoder = EncoderConfig { width, height: width, tiles: 2, ..Default::default() };
    encoder.speed_settings = SpeedSettings::from_preset(10);
    let config = Config::new().with_encoder_config(encoder);
    Box::new(move || {
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
        let mut len = 0;
        loop {
            match context.receive_packet() {
                Ok(packet) => len += packet.data.len() as u64,
                Err(EncoderStatus::LimitReached) => return len,
                Err(_) => {}
            }
        }
    })
}

fn row(name: &str, n: usize) -> Call {
    match name {
        "resize" => of_floats::<3>(n, n / 2, |a, b| resize::resize(a, b, Bilinear).unwrap()),
        "warp_affine" => of_floats::<3>(n, n, |a, b| {
            warp::warp_affine(a, b, &[0.9, 0.1, 2.0, -0.1, 0.9, 3.0], Bilinear).unwrap();
        }),
        "threshold" => of_floats::<1>(n, n, |a, b| threshold::threshold_binary(a, b, 0.5, 1.0).unwrap()),
        "add_weighted" => of_floats::<3>(n, n, |a, b| enhance::add_weighted(a, 0.5, a, 0.5, 0.0, b).unwrap()),
        "flip" => of_bytes::<3>(n, |a, b| flip::horizontal_flip(a, b).unwrap()),
        "canny" => of_bytes::<1>(n, |a, b| canny::canny(a, b, 50.0, 150.0, true).unwrap()),
        "clahe" => of_bytes::<1>(n, |a, b| clahe::clahe(a, b, 2.0, (8, 8)).unwrap()),
        "dssim" => dssim(n),
        "rdst" => sort(n, |v| v.radix_sort_unstable()),
        "voracious" => sort(n, |v| v.voracious_mt_sort(2)),
        "ptr_hash" => hash(n),
        "instant-distance" => graph(n),
        "rav1e" => encode(n),
        _ => panic!("there is no row {name}"),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let [name, n, _, calls] = words[..] else { panic!("four words, not {line:?}") };
        let mut call = row(name, n.parse().unwrap());
        let mut digest = call();
        let start = Instant::now();
        for _ in 0..calls.parse().unwrap() {
            digest = call();
        }
        println!("{} {digest}", start.elapsed().as_nanos());
    }
}
