/**
 * The service `sync:` (push, pull, ls, stat). Files are copied in chunks; a
 * push or pull of any size buffers one chunk of 64 KiB and the stream's window.
 * Source of behaviour and messages: AOSP `file_sync_service.cpp`.
 */
import type { Duplex } from '../android/streams.js'
import { FsError } from '../fs/errors.js'
import type { FileSystem } from '../fs/file-system.js'
import type { FileWriter } from '../fs/open-file.js'
import { typeBits, type Stat } from '../fs/inode.js'
import {
  encodeEntry1,
  encodeEntry2,
  encodeFail,
  encodeHeader,
  encodeListEnd,
  encodeStat1,
  encodeStat2,
  ExactReader,
  maxDataBytes,
} from './sync-packet.js'

const maxPathBytes = 1024

interface Context {
  stream: Duplex
  reader: ExactReader
  fs: FileSystem
  onPush: (path: string) => void
}

/** `onPush` is called for each file that a host starts to send. Paths are byte strings. */
export async function syncService(
  stream: Duplex,
  fs: FileSystem,
  onPush: (path: string) => void,
): Promise<void> {
  const context = { stream, reader: new ExactReader(stream), fs, onPush }
  for (;;) {
    const header = await context.reader.header()
    if (header === null || header.id === 'QUIT') return
    if (header.value > maxPathBytes) return stream.write(encodeFail('path too long'))
    const path = await context.reader.read(header.value)
    if (path === null) return
    if (!(await request(header.id, path.toString('latin1'), context))) return
  }
}

/** Returns false when the stream must end. */
async function request(id: string, path: string, context: Context): Promise<boolean> {
  const { stream, fs } = context
  switch (id) {
    case 'STAT':
      await stream.write(encodeStat1(fs.tryLstat(path)))
      return true
    case 'LST2':
    case 'STA2': {
      const { stat, errno } = statOrErrno(() => (id === 'STA2' ? fs.stat(path) : fs.lstat(path)))
      await stream.write(encodeStat2(id, stat, errno))
      return true
    }
    case 'LIST':
    case 'LIS2':
      await list(path, id === 'LIST' ? 1 : 2, context)
      return true
    case 'RECV':
      return receive(path, context)
    case 'RCV2': {
      const setup = await context.reader.read(8)
      if (setup === null) return false
      if (setup.readUInt32LE(4) !== 0) return fail('unsupported compression', context)
      return receive(path, context)
    }
    case 'SEND': {
      const comma = path.lastIndexOf(',')
      if (comma === -1) return fail('missing , in ID_SEND', context)
      const mode = Number(path.slice(comma + 1))
      if (!Number.isInteger(mode)) return fail('bad mode', context)
      return send(path.slice(0, comma), mode, context)
    }
    case 'SND2': {
      const setup = await context.reader.read(12)
      if (setup === null) return false
      if (setup.readUInt32LE(8) !== 0) return fail('unsupported compression', context)
      return send(path, setup.readUInt32LE(4), context)
    }
    default:
      await stream.write(
        encodeFail(
          `unknown command ${Buffer.from(id, 'latin1').readUInt32LE(0).toString(16).padStart(8, '0')}`,
        ),
      )
      return false
  }
}

async function fail(message: string, context: Context): Promise<boolean> {
  await context.stream.write(encodeFail(message))
  return true
}

function statOrErrno(read: () => Stat): { stat: Stat | null; errno: number } {
  try {
    return { stat: read(), errno: 0 }
  } catch (error) {
    if (error instanceof FsError) return { stat: null, errno: error.errno }
    throw error
  }
}

async function list(path: string, version: 1 | 2, context: Context): Promise<void> {
  const { stream, fs } = context
  const names = readable(() => ['.', '..', ...fs.readdir(path)]) ?? []
  let batch: Buffer[] = []
  for (const name of names) {
    const { stat, errno } = statOrErrno(() => fs.lstat(`${path}/${name}`))
    if (version === 2) batch.push(encodeEntry2(name, stat, errno))
    else if (stat !== null) batch.push(encodeEntry1(name, stat))
    if (batch.length >= 256) {
      await stream.write(Buffer.concat(batch))
      batch = []
    }
  }
  await stream.write(Buffer.concat([...batch, encodeListEnd(version)]))
}

/** An unreadable folder appears empty, as in adbd. */
function readable(read: () => string[]): string[] | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof FsError) return null
    throw error
  }
}

async function receive(path: string, context: Context): Promise<boolean> {
  const { stream, fs } = context
  let file
  try {
    file = await fs.openRead(path)
  } catch (error) {
    if (error instanceof FsError) return fail(`open failed: ${error.message}`, context)
    throw error
  }
  try {
    for (let chunk = await file.read(); chunk !== null; chunk = await file.read()) {
      await stream.write(Buffer.concat([encodeHeader('DATA', chunk.length), chunk]))
    }
    await stream.write(encodeHeader('DONE', 0))
    return true
  } finally {
    await file.close()
  }
}

async function send(path: string, mode: number, context: Context): Promise<boolean> {
  context.onPush(path)
  const target = await openTarget(path, mode, context)
  let failed = target.failure
  if (failed !== null) await fail(failed, context)
  try {
    for (;;) {
      const header = await context.reader.header()
      if (header === null) return false
      if (header.id === 'DONE') {
        if (failed !== null) return true
        await target.finish(header.value)
        await context.stream.write(encodeHeader('OKAY', 0))
        return true
      }
      if (header.id !== 'DATA') {
        await fail('invalid data message', context)
        return false
      }
      if (header.value > maxDataBytes) {
        await fail('oversize data message', context)
        return false
      }
      const data = await context.reader.read(header.value)
      if (data === null) return false
      if (failed !== null) continue
      failed = await target.write(data)
      if (failed !== null) await fail(failed, context)
    }
  } finally {
    await target.close()
  }
}

interface Target {
  failure: string | null
  /** Returns why the push failed, or null. */
  write(data: Buffer): Promise<string | null>
  finish(mtimeSeconds: number): Promise<void>
  close(): Promise<void>
}

async function openTarget(path: string, mode: number, { fs }: Context): Promise<Target> {
  const done = () => Promise.resolve()
  try {
    const old = fs.tryLstat(path)
    if (old !== null && old.kind !== 'directory') await fs.unlink(path)
    const parent = path.slice(0, path.lastIndexOf('/'))
    if (parent !== '' && fs.tryStat(parent) === null) fs.mkdirs(parent, 0o775)
    if ((mode & typeBits.mask) === typeBits.link) return linkTarget(path, fs)
    // adbd copies the owner's permissions to group and others.
    const owner = mode & 0o700
    const writer = await fs.openWrite(path, { mode: owner | (owner >> 3) | (owner >> 6) })
    return fileTarget(path, fs, writer)
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    const failure = `couldn't create file: ${error.message}`
    return { failure, write: () => Promise.resolve(failure), finish: done, close: done }
  }
}

function fileTarget(path: string, fs: FileSystem, writer: FileWriter): Target {
  return {
    failure: null,
    write: async (data) => {
      try {
        await writer.write(data)
        return null
      } catch (error) {
        if (error instanceof FsError) return `write failed: ${error.message}`
        throw error
      }
    },
    finish: async (mtimeSeconds) => {
      await writer.close()
      fs.utimes(path, mtimeSeconds * 1000)
    },
    close: () => writer.close(),
  }
}

function linkTarget(path: string, fs: FileSystem): Target {
  let target = ''
  return {
    failure: null,
    write: (data) => {
      target += data.toString('latin1')
      return Promise.resolve(null)
    },
    finish: () => {
      fs.symlink(target.replace(/\0+$/, ''), path)
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
}
