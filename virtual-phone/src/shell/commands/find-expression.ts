/** The expression of `find`: tests and actions, combined by and, or, not and brackets. Used by `find.ts`. */
import type { Stat } from '../../fs/inode.js'
import { type CommandIo, UsageError } from '../command.js'
import { compileText, matches } from '../pattern.js'

export interface FindEntry {
  /** The path as it is printed. */
  name: string
  path: string
  stat: Stat
  depth: number
}

export interface Search {
  /** Set to false to skip this folder (`-prune`). */
  run(entry: FindEntry, io: CommandIo): Promise<boolean>
  /** Runs the commands that `-exec … +` has collected. Returns false when a command failed. */
  finish(io: CommandIo): Promise<boolean>
  minDepth: number
  maxDepth: number
  /** Folders are visited after their contents. */
  depthFirst: boolean
}

interface Turn {
  entry: FindEntry
  io: CommandIo
  pruned: boolean
}
type Node = (turn: Turn) => boolean | Promise<boolean>

const kinds: Readonly<Record<string, readonly string[]>> = {
  f: ['file', 'generated'],
  d: ['directory'],
  l: ['link'],
  c: ['device'],
  b: [],
  p: [],
  s: [],
}

class Reader {
  readonly search = { minDepth: 0, maxDepth: Infinity, depthFirst: false }
  readonly gathered: { words: readonly string[]; names: string[] }[] = []
  acts = false
  private at = 0

  constructor(private readonly args: readonly string[]) {}

  all(): Node {
    if (this.args.length === 0) return () => true
    const node = this.or()
    if (this.at < this.args.length) throw new UsageError(`bad arg '${this.args[this.at] ?? ''}'`)
    return node
  }

  private or(): Node {
    let left = this.and()
    while (this.args[this.at] === '-o' || this.args[this.at] === '-or') {
      this.at += 1
      const [first, second] = [left, this.and()]
      left = async (turn) => (await first(turn)) || second(turn)
    }
    return left
  }

  private and(): Node {
    let left = this.one()
    for (;;) {
      const word = this.args[this.at]
      if (word === undefined || word === ')' || word === '-o' || word === '-or') return left
      if (word === '-a' || word === '-and') this.at += 1
      const [first, second] = [left, this.one()]
      left = async (turn) => (await first(turn)) && second(turn)
    }
  }

  private one(): Node {
    const word = this.args[this.at++]
    if (word === '!' || word === '-not') {
      const inner = this.one()
      return async (turn) => !(await inner(turn))
    }
    if (word === '(') {
      const inner = this.or()
      if (this.args[this.at++] !== ')') throw new UsageError('need )')
      return inner
    }
    return this.test(word ?? '')
  }

  private value(word: string): string {
    const value = this.args[this.at++]
    if (value === undefined) throw new UsageError(`'${word}' needs 1 arg`)
    return value
  }

  private test(word: string): Node {
    switch (word) {
      case '-name':
      case '-iname':
      case '-path':
      case '-ipath':
      case '-wholename':
        return this.pattern(word)
      case '-type': {
        const wanted = this.value(word).split(',')
        if (wanted.some((kind) => kinds[kind] === undefined))
          throw new UsageError(`bad -type '${wanted.join()}'`)
        return ({ entry }) => wanted.some((kind) => kinds[kind]?.includes(entry.stat.kind))
      }
      case '-empty':
        return ({ entry, io }) =>
          entry.stat.kind === 'directory' ? io.fs.readdir(entry.path).length === 0 : entry.stat.size === 0
      case '-size':
        return sizeTest(this.value(word))
      case '-newer': {
        const name = this.value(word)
        return ({ entry, io }) => entry.stat.mtimeMs > io.fs.stat(io.path(name)).mtimeMs
      }
      case '-maxdepth':
        this.search.maxDepth = Number(this.value(word))
        return () => true
      case '-mindepth':
        this.search.minDepth = Number(this.value(word))
        return () => true
      case '-depth':
        this.search.depthFirst = true
        return () => true
      case '-true':
        return () => true
      case '-false':
        return () => false
      case '-prune':
        return (turn) => {
          turn.pruned = true
          return true
        }
      default:
        return this.action(word)
    }
  }

  private action(word: string): Node {
    // toybox prints the path that it deletes.
    this.acts ||= word !== '-delete'
    switch (word) {
      case '-print':
        return printer('\n')
      case '-print0':
        return printer('\0')
      case '-delete':
        this.search.depthFirst = true
        return async ({ entry, io }) => {
          await (entry.stat.kind === 'directory' ? io.fs.rmdir(entry.path) : io.fs.unlink(entry.path))
          return true
        }
      case '-exec': {
        const end = this.args.findIndex((each, at) => at >= this.at && (each === ';' || each === '+'))
        if (end === -1) throw new UsageError('need ; or +')
        const words = this.args.slice(this.at, end)
        this.at = end + 1
        return this.args[end] === '+' ? this.gather(words) : execute(words)
      }
      default:
        throw new UsageError(`bad arg '${word}'`)
    }
  }

  private gather(words: readonly string[]): Node {
    const names: string[] = []
    this.gathered.push({ words, names })
    return ({ entry }) => names.push(entry.name) > 0
  }

  private pattern(word: string): Node {
    const lower = word.startsWith('-i')
    const text = this.value(word)
    const pattern = compileText(lower ? text.toLowerCase() : text)
    const whole = !word.endsWith('name') || word === '-wholename'
    return ({ entry }) => {
      const name = whole
        ? entry.name
        : (entry.name
            .replace(/(?!^)\/+$/, '')
            .split('/')
            .at(-1) ?? '')
      return matches(pattern, lower ? name.toLowerCase() : name)
    }
  }
}

const printer =
  (end: string): Node =>
  async ({ entry, io }) => {
    await io.out(entry.name + end)
    return true
  }

const execute =
  (words: readonly string[]): Node =>
  async ({ entry, io }) =>
    (await io.spawn(words.map((word) => word.replaceAll('{}', entry.name)))) === 0

function sizeTest(text: string): Node {
  const [, sign = '', count = '', unit = ''] = /^([-+]?)(\d+)([cbkMG]?)$/.exec(text) ?? []
  if (count === '') throw new UsageError(`bad -size '${text}'`)
  const size = { c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 512
  const wanted = Number(count)
  return ({ entry }) => {
    const has = Math.ceil(entry.stat.size / size)
    return sign === '+' ? has > wanted : sign === '-' ? has < wanted : has === wanted
  }
}

/** @throws UsageError */
export function parseExpression(args: readonly string[]): Search {
  const reader = new Reader(args)
  const node = reader.all()
  const print = printer('\n')
  return {
    ...reader.search,
    run: async (entry, io) => {
      const turn: Turn = { entry, io, pruned: false }
      if ((await node(turn)) && !reader.acts) await print(turn)
      return !turn.pruned
    },
    finish: async (io) => {
      let good = true
      for (const { words, names } of reader.gathered) {
        if (names.length === 0) continue
        good = (await io.spawn(words.flatMap((word) => (word === '{}' ? names : [word])))) === 0 && good
      }
      return good
    },
  }
}
