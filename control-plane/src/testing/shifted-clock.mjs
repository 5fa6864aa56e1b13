// Loaded before a process's own code. The process's wall clock steps by the milliseconds of each line on its
// standard input.
let shift = 0
const RealDate = Date
const now = () => RealDate.now() + shift
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now())
    else super(...given)
  }
  static now() {
    return now()
  }
}
process.stdin.setEncoding('utf8')
process.stdin.on('data', (line) => (shift = Number(line)))
process.stdin.unref?.()
