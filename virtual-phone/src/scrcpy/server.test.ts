import { afterEach, describe, expect, it } from 'vitest'
import { PhoneSockets } from '../android/sockets.js'
import { type Duplex } from '../android/streams.js'
import { Client, connect, startServer, stopServers, type Running } from '../testing/scrcpy-server.js'
import { get, launch, tap, textOf, center } from '../testing/ui-tree.js'

const CONTROL =
  'scid=0000002a log_level=info video=false audio=false tunnel_forward=true cleanup=false clipboard_autosync=false power_on=false'

const running: Running[] = []
afterEach(() => stopServers(running))

const start = (line: string, version = '3.3.3', sockets = new PhoneSockets()): Running => {
  const server = startServer(line, { version, sockets })
  running.push(server)
  return server
}

const touch = (action: string, x: number, y: number, pointer = '0000000000000001'): string =>
  `02 ${action} ${pointer} ${x.toString(16).padStart(8, '0')} ${y.toString(16).padStart(8, '0')} 0000 0000 ffff 00000000 00000000`

describe('the scrcpy server', () => {
  it('greets with a dummy byte and the device name in 64 bytes, and ends with its client', async () => {
    const server = start(CONTROL)
    const client = await connect(server)
    expect((await client.read(1)).toString('hex')).toBe('00')
    expect((await client.read(64)).toString('utf8').replace(/\0+$/, '')).toBe('Virtual Phone')
    client.stream.close()
    expect(await server.exit).toBe(0)
    expect((await server.printed()).stdout).toBe(
      '[server] INFO: Device: [Phonerack] Phonerack Virtual Phone (Android 14)\n',
    )
    expect(server.removed()).toBe(false)
  })

  it('connects to a reverse tunnel without a dummy byte, and removes its jar on request', async () => {
    const sockets = new PhoneSockets()
    const accepted = new Promise<Duplex>((resolve) =>
      sockets.listen('localabstract:scrcpy_0000002a', resolve),
    )
    const server = start('scid=2a video=false audio=false', '3.3.3', sockets)
    const client = new Client(await accepted)
    expect((await client.read(64)).toString('utf8')).toMatch(/^Virtual Phone\0+$/)
    expect(server.removed()).toBe(true)
    client.stream.close()
    expect(await server.exit).toBe(0)
  })

  it('taps, types, and pastes any text', async () => {
    const server = start(`${CONTROL} send_device_meta=false send_dummy_byte=false`)
    const { world } = server
    launch(world, 'com.phonerack.notes')
    tap(world, 'New note')
    const client = await connect(server)
    const { x, y } = center(get(world, 'title'))
    await client.send(touch('00', x, y) + touch('01', x, y))
    await client.send(`01 00000006 ${Buffer.from('Hi é').toString('hex')}5a`)
    await client.setClipboard(' 日本👋', true)
    expect(textOf(world, 'title')).toBe('Hi éZ 日本👋')
    expect(world.clipboard).toBe(' 日本👋')
  })

  it('drops characters that its key map cannot type, with a warning', async () => {
    const server = start(`${CONTROL} send_device_meta=false send_dummy_byte=false`)
    const { world } = server
    launch(world, 'com.phonerack.notes')
    tap(world, 'New note')
    tap(world, 'title')
    const client = await connect(server)
    const text = Buffer.from('a日b👋c\nd')
    await client.send(`01 ${text.length.toString(16).padStart(8, '0')} ${text.toString('hex')}`)
    await client.setClipboard('x', false)
    expect([textOf(world, 'title'), textOf(world, 'body')]).toEqual(['abc', 'd'])
    client.stream.close()
    expect((await server.printed()).stderr).toBe(
      ['65e5', 'd83d', 'dc4b'].map((unit) => `[server] WARN: Could not inject char u+${unit}\n`).join(''),
    )
  })

  it('answers GET_CLIPBOARD, but not when the clipboard is empty', async () => {
    const server = start(`${CONTROL} send_device_meta=false send_dummy_byte=false`)
    const client = await connect(server)
    await client.send('08 00')
    await client.setClipboard('', false)
    await client.setClipboard('hé', false)
    await client.send('08 00')
    expect((await client.read(8)).toString('hex')).toBe('000000000368c3a9')
  })

  it('sends the clipboard unasked with autosync, except a text that the client set', async () => {
    const server = start(
      'scid=2a video=false audio=false tunnel_forward=true send_device_meta=false send_dummy_byte=false',
    )
    const client = await connect(server)
    await client.setClipboard('mine', false)
    server.world.setClipboard('theirs')
    expect((await client.read(11)).toString('hex')).toBe(`0000000006${Buffer.from('theirs').toString('hex')}`)
  })

  it('wakes by back-or-screen-on, goes back by it, rotates, starts and restarts apps', async () => {
    const server = start(`${CONTROL} send_device_meta=false send_dummy_byte=false`)
    const { world } = server
    world.sleep()
    const client = await connect(server)
    await client.send('04 00 04 01')
    await client.send(`10 13 ${Buffer.from('com.phonerack.notes').toString('hex')}`)
    await client.setClipboard('1', false)
    expect(world.awake).toBe(true)
    expect(world.focused.package).toBe('com.phonerack.notes')
    await client.send(
      `10 06 ${Buffer.from('?diall').toString('hex')} 10 05 ${Buffer.from('?dial').toString('hex')} 0b`,
    )
    await client.setClipboard('2', false)
    expect(world.focused.package).toBe('com.phonerack.dialogs')
    expect(world.display.rotation).toBe(1)
    await client.send('04 00 04 01')
    await client.setClipboard('3', false)
    expect(world.focused.package).toBe('com.android.launcher3')
    client.stream.close()
    expect((await server.printed()).stderr).toBe('[server] WARN: No app found for name "diall"\n')
  })

  it.each([
    ['4.1', '', 1, '[server] ERROR: The server version (3.3.3) does not match the client (4.1)\n'],
    ['3.3.3', 'video', 1, '[server] ERROR: Invalid key=value pair: "video"\n'],
  ])('refuses %s %s', async (version, line, code, error) => {
    const server = start(line, version)
    expect(await server.exit).toBe(code)
    expect((await server.printed()).stderr.startsWith(error)).toBe(true)
  })

  it('ends on an invalid message', async () => {
    const server = start(`${CONTROL} send_device_meta=false send_dummy_byte=false`)
    const client = await connect(server)
    await client.send('63')
    expect(await server.exit).toBe(0)
    expect((await server.printed()).stderr).toContain('Unknown event type: 99')
  })

  it('ends when it is stopped, even before a client has connected', async () => {
    const server = start(CONTROL)
    server.abort()
    expect(await server.exit).toBe(0)
    expect(server.sockets.has('localabstract:scrcpy_0000002a')).toBe(false)
  })
})
