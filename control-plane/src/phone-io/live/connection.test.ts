// The page's connection with a clock that the test moves, and stubs of the browser's API.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type PageMessage, type ServerMessage } from './page/wire.js'

interface PageConnection {
  connect(): void
  send(message: PageMessage): void
  readonly roundTripMs: number | null
}

/** A stub of a browser's socket, whose network the test simulates. */
class Socket {
  static readonly OPEN = 1
  static made: Socket[] = []
  readyState = Socket.OPEN
  readonly sent: PageMessage[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  constructor() {
    Socket.made.push(this)
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as PageMessage)
  }
  close(): void {
    this.readyState = 3
  }
  receives(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

let told: string[]
let connection: PageConnection
const page = Object.assign(new EventTarget(), { hidden: false })

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('document', page)
  vi.stubGlobal('addEventListener', () => undefined)
  Socket.made = []
  told = []
  // The page uses types of the browser.
  const source = './page/connection.js'
  const { Connection } = (await import(source)) as {
    Connection: new (url: string, token: string, listener: object) => PageConnection
  }
  connection = new Connection('ws://x/live/socket', 'prl_x', {
    onOpen: () => told.push('open'),
    onVideo: () => undefined,
    onMessage: ({ type }: ServerMessage) => told.push(type),
    onRetry: () => told.push('again'),
    onOver: () => told.push('over'),
  })
  connection.connect()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const socket = (): Socket => {
  const last = Socket.made.at(-1)
  if (!last) throw new Error('no socket')
  return last
}
const pings = () => socket().sent.flatMap((message) => (message.type === 'ping' ? [message] : []))
/** Lets seconds pass in which the server answers pings. */
function answered(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1000)
    socket().receives({ type: 'pong', id: pings().at(-1)?.id })
  }
}
const text: PageMessage = { type: 'text', text: 'a' }

it('a page whose server is silent for 3 s reconnects, and sends no input over the dead socket', () => {
  const first = socket()
  first.onopen?.()
  first.receives({ type: 'open' })
  answered(90)
  expect(told).toEqual(['open'])
  expect(pings()).toHaveLength(91)

  vi.advanceTimersByTime(2999)
  connection.send(text)
  expect([told, first.sent.at(-1)]).toEqual([['open'], text])
  vi.advanceTimersByTime(1)
  expect([told, first.readyState]).toEqual([['open', 'again'], 3])
  connection.send(text)
  expect(first.sent.filter(({ type }) => type === 'text')).toHaveLength(1)

  vi.advanceTimersByTime(250)
  expect(Socket.made).toHaveLength(2)
  socket().receives({ type: 'open' })
  answered(10)
  expect(told).toEqual(['open', 'again', 'open'])
})

it('any message shows that the server is alive, and a ping says whether the person sees the page', () => {
  socket().receives({ type: 'open' })
  for (let second = 0; second < 10; second += 1) {
    vi.advanceTimersByTime(1000)
    socket().receives({ type: 'state' })
  }
  expect(told).not.toContain('again')
  expect(pings().at(-1)).toMatchObject({ visible: true })
  page.hidden = true
  page.dispatchEvent(new Event('visibilitychange'))
  expect(pings().at(-1)).toMatchObject({ visible: false })
  page.hidden = false
})

it('measures the round trip of its last ping', () => {
  socket().receives({ type: 'open' })
  vi.advanceTimersByTime(1000)
  expect(connection.roundTripMs).toBeNull()
  vi.advanceTimersByTime(40)
  socket().receives({ type: 'pong', id: pings().at(-1)?.id })
  expect(connection.roundTripMs).toBe(40)
})
