import { expect, it } from 'vitest'
import { createGestures, withoutPoints } from './gestures.js'

const at = { pointer: 0, x: 0.5, y: 0.25 }

it('converts touches to taps, long presses and swipes', () => {
  const gestures = createGestures()
  gestures.add({ type: 'touch', phase: 'down', ...at }, 0)
  gestures.add({ type: 'touch', phase: 'up', ...at }, 80)
  gestures.add({ type: 'touch', phase: 'down', ...at }, 100)
  gestures.add({ type: 'touch', phase: 'up', ...at }, 900)
  gestures.add({ type: 'touch', phase: 'down', ...at }, 1000)
  gestures.add({ type: 'touch', phase: 'move', ...at, y: 0.4 }, 1100)
  gestures.add({ type: 'touch', phase: 'up', ...at, y: 0.5 }, 1200)
  gestures.add({ type: 'touch', phase: 'down', ...at }, 1300)
  gestures.add({ type: 'touch', phase: 'cancel', ...at }, 1310)
  expect(gestures.count).toBe(3)
  expect(gestures.take()).toEqual([
    { type: 'tap', fraction: [0.5, 0.25] },
    { type: 'long_press', fraction: [0.5, 0.25], duration_ms: 800 },
    { type: 'swipe', from_fraction: [0.5, 0.25], to_fraction: [0.5, 0.5], duration_ms: 200 },
  ])
  expect(gestures.count).toBe(0)
})

it('joins texts and wheel movements, and keeps no character keys', () => {
  const gestures = createGestures()
  gestures.add({ type: 'text', text: 'ab' }, 0)
  // The letter C is pressed and released.
  gestures.add({ type: 'key', down: true, code: 31, repeat: 0 }, 1)
  gestures.add({ type: 'key', down: false, code: 31, repeat: 0 }, 2)
  gestures.add({ type: 'key', down: true, code: 66, repeat: 0 }, 3)
  gestures.add({ type: 'scroll', x: 0.1, y: 0.2, horizontal: 0, vertical: -1 }, 4)
  gestures.add({ type: 'scroll', x: 0.1, y: 0.2, horizontal: 0, vertical: -2 }, 5)
  gestures.add({ type: 'rotate' }, 6)
  expect(gestures.take()).toEqual([
    { type: 'type', text: 'ab\u2022' },
    { type: 'key', key_code: 66 },
    { type: 'scroll', fraction: [0.1, 0.2], horizontal: 0, vertical: -3 },
    { type: 'rotate' },
  ])
})

it('counts the characters of its texts', () => {
  const gestures = createGestures()
  gestures.add({ type: 'text', text: 'abc' }, 0)
  gestures.add({ type: 'key', down: true, code: 31, repeat: 0 }, 1)
  gestures.add({ type: 'rotate' }, 2)
  gestures.add({ type: 'text', text: 'd' }, 3)
  expect(gestures.characters).toBe(5)
  gestures.take()
  expect(gestures.characters).toBe(0)
})

it('omits points, and keeps the kinds and times of touches', () => {
  const from: [number, number] = [0.1, 0.9]
  const to: [number, number] = [0.5, 0.8]
  expect(
    withoutPoints([
      { type: 'tap', fraction: from },
      { type: 'long_press', fraction: from, duration_ms: 800 },
      { type: 'swipe', from_fraction: from, to_fraction: to, duration_ms: 200 },
      { type: 'scroll', fraction: from, horizontal: 0, vertical: -3 },
      { type: 'type', text: 'a' },
      { type: 'key', key_code: 66 },
    ]),
  ).toEqual([
    { type: 'tap' },
    { type: 'long_press', duration_ms: 800 },
    { type: 'swipe', duration_ms: 200 },
    { type: 'scroll', horizontal: 0, vertical: -3 },
    { type: 'type', text: 'a' },
    { type: 'key', key_code: 66 },
  ])
})
