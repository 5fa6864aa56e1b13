/** Writes Android's binary XML, as `AndroidManifest.xml` of an APK is written. */
import { chunk, shorts, stringPool, words } from './chunks.js'

/** An object refers to a resource of `resources.arsc`. */
type AttributeValue = string | number | boolean | { resource: number }
export interface Element {
  tag: string
  /** Attributes of `android:`, and attributes without a namespace: `package` and `split`. */
  attributes?: Record<string, AttributeValue>
  children?: readonly Element[]
}

/** AOSP `public-final.xml`, in ascending order, which Android expects in each element. */
const resourceIds: Readonly<Record<string, number>> = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  hasCode: 0x0101000c,
  debuggable: 0x0101000f,
  exported: 0x01010010,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  testOnly: 0x01010272,
  isSplitRequired: 0x01010591,
}
const names = Object.keys(resourceIds)
const namespace = 'http://schemas.android.com/apk/res/android'
const none = -1

export function writeBinaryXml(root: Element): Buffer {
  const strings = [...names]
  const indexOf = (text: string): number => {
    if (!strings.includes(text)) strings.push(text)
    return strings.indexOf(text)
  }
  const scope = words(indexOf('android'), indexOf(namespace))
  const line = words(1, none)
  const elements = [
    chunk(0x0100, line, scope),
    ...elementChunks(root, indexOf, line),
    chunk(0x0101, line, scope),
  ]
  const map = chunk(0x0180, Buffer.alloc(0), words(...Object.values(resourceIds)))
  return chunk(0x0003, Buffer.alloc(0), Buffer.concat([stringPool(strings), map, ...elements]))
}

function elementChunks(element: Element, indexOf: (text: string) => number, line: Buffer): Buffer[] {
  const attributes = Object.entries(element.attributes ?? {})
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => attributeOf(name, value, indexOf))
  const tag = words(none, indexOf(element.tag))
  const shape = shorts(20, 20, attributes.length, 0, 0, 0)
  return [
    chunk(0x0102, line, Buffer.concat([tag, shape, ...attributes])),
    ...(element.children ?? []).flatMap((child) => elementChunks(child, indexOf, line)),
    chunk(0x0103, line, tag),
  ]
}

const rank = (name: string): number => resourceIds[name] ?? Infinity

function attributeOf(name: string, value: AttributeValue, indexOf: (text: string) => number): Buffer {
  const [type, data] = typed(value, indexOf)
  const space = resourceIds[name] === undefined ? none : indexOf(namespace)
  const text = typeof value === 'string' ? data : none
  return Buffer.concat([words(space, indexOf(name), text), shorts(8), Buffer.from([0, type]), words(data)])
}

/** Returns `Res_value.dataType`, with the value's data. */
function typed(value: AttributeValue, indexOf: (text: string) => number): [type: number, data: number] {
  if (typeof value === 'string') return [0x03, indexOf(value)]
  if (typeof value === 'number') return [0x10, value]
  if (typeof value === 'boolean') return [0x12, value ? -1 : 0]
  return [0x01, value.resource]
}
