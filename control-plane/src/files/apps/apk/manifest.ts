/**
 * Reads an APK's binary `AndroidManifest.xml` with adbkit-apkreader, and handles two more cases: attributes whose names
 * a shrinker removed are identified by their resource ID, and a string may be the first string of its pool.
 */
import BinaryXmlParser, {
  type XmlAttribute,
  type XmlElement,
} from '@devicefarmer/adbkit-apkreader/lib/apkreader/parser/binaryxml.js'
import { InvalidApk, unreadable } from './facts.js'
import { sdkOf } from './sdk-version.js'

/** AOSP `public-final.xml`. */
const attributeNames: Readonly<Record<number, string>> = {
  0x01010001: 'label',
  0x01010003: 'name',
  0x01010024: 'value',
  0x0101020c: 'minSdkVersion',
  0x0101021b: 'versionCode',
  0x0101021c: 'versionName',
  0x01010270: 'targetSdkVersion',
  0x01010576: 'versionCodeMajor',
  0x01010591: 'isSplitRequired',
}
/** `Res_value.dataType` of a string. AOSP `androidfw/ResourceTypes.h`. */
const stringType = 0x03

class ManifestXml extends BinaryXmlParser {
  protected override readXmlAttribute(): XmlAttribute {
    const name = this.buffer.readInt32LE(this.cursor + 4)
    const isString = this.buffer.readUInt8(this.cursor + 15) === stringType
    const text = this.buffer.readInt32LE(this.cursor + 16)
    const attribute = super.readXmlAttribute()
    attribute.name = attributeNames[this.resources[name] ?? 0] ?? this.strings[name]
    if (isString) attribute.typedValue.value = this.strings[text] ?? ''
    return attribute
  }
}

/** A text, or the number of its resource. */
export type Text = string | { resource: number } | null

export interface Manifest {
  package: string
  split: string | null
  versionCode: number
  versionName: Text
  minSdk: number | null
  /** The code name of the Android preview that the app needs; null for a release. */
  minCodename: string | null
  /** Null if the manifest declares none; the value then equals `minSdk`. */
  targetSdk: number | null
  label: Text
  needsSplits: boolean
}

/** @throws InvalidApk */
export function readManifest(bytes: Buffer): Manifest {
  const root = parse(bytes)
  if (root?.nodeName !== 'manifest')
    throw new InvalidApk('The root element of the manifest is not <manifest>.')
  const name = stringIn(root, 'package') ?? ''
  if (name.length > 255 || !/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(name))
    throw new InvalidApk('The manifest does not declare a valid package name.')
  const versionCode = integerIn(root, 'versionCodeMajor', 0) * 2 ** 32 + integerIn(root, 'versionCode', 0)
  if (versionCode > Number.MAX_SAFE_INTEGER)
    throw new InvalidApk('The version code is larger than 2^53. Use a smaller versionCodeMajor.')
  const application = childOf(root, 'application')
  const sdk = childOf(root, 'uses-sdk')
  const min = sdkOf(valueIn(sdk, 'minSdkVersion'))
  return {
    package: name,
    split: stringIn(root, 'split') || null,
    versionCode,
    versionName: textIn(root, 'versionName'),
    minSdk: min.level,
    minCodename: min.codename,
    targetSdk: sdkOf(valueIn(sdk, 'targetSdkVersion')).level,
    label: textIn(application, 'label'),
    needsSplits:
      valueIn(root, 'isSplitRequired') === true ||
      valueIn(application, 'isSplitRequired') === true ||
      (application?.childNodes ?? []).some(
        (child) =>
          child.nodeName === 'meta-data' &&
          valueIn(child, 'name') === 'com.android.vending.splits.required' &&
          valueIn(child, 'value') === true,
      ),
  }
}

function parse(bytes: Buffer): XmlElement | null {
  try {
    return new ManifestXml(bytes).parse()
  } catch (error) {
    throw unreadable('manifest', error)
  }
}

const childOf = (element: XmlElement, tag: string): XmlElement | undefined =>
  element.childNodes.find((child) => child.nodeName === tag)

const valueIn = (element: XmlElement | undefined, name: string): unknown =>
  element?.attributes.find((attribute) => attribute.name === name)?.typedValue.value

function stringIn(element: XmlElement, name: string): string | null {
  const value = valueIn(element, name)
  return typeof value === 'string' ? value : null
}

function textIn(element: XmlElement | undefined, name: string): Text {
  const value = valueIn(element, name)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return null
  const resource = /^resourceId:0x([0-9a-f]+)$/.exec(value)?.[1]
  return resource === undefined ? value : { resource: Number.parseInt(resource, 16) }
}

/** Returns an unsigned integer, since Android reads both halves of a version code as unsigned. */
function integerIn(element: XmlElement, name: string, missing: number): number {
  const value = valueIn(element, name)
  return typeof value === 'number' ? value >>> 0 : missing
}
