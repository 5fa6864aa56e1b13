// Loaded into a process with `--import`: adds an offset to its wall clock, as read from the file that
// PHONERACK_CHAOS_CLOCK names, in milliseconds. Timers and the monotonic clock do not change, as after a step
// of the system's clock.
import { readFileSync } from 'node:fs'
import process from 'node:process'

const file = process.env.PHONERACK_CHAOS_CLOCK
const RealDate = Date
const now = RealDate.now.bind(RealDate)
let offset = 0

function read() {
  try {
    offset = Number(readFileSync(file, 'utf8').trim() || '0')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    offset = 0
  }
}

if (file !== undefined) {
  read()
  setInterval(read, 200).unref()
  RealDate.now = () => now() + offset
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now() + offset] : args,
        newTarget === globalThis.Date ? target : newTarget,
      ),
    apply: () => new RealDate(now() + offset).toString(),
  })
}
