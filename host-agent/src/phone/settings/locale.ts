/** Reads the phone's language from a property, and sets it by io.appium.settings. Android then restarts all activities. */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Locale } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { run } from '../../adb/device/run.js'
import { broadcast } from './settings-app.js'

const readBackMs = 8000

const readCommand = sequence(
  command('getprop', 'persist.sys.locale'),
  command('getprop', 'ro.product.locale'),
)

/** Returns the language, script and region of a tag such as `zh-Hant-TW`; empty for missing parts. */
function partsOf(tag: string): { language: string; script: string; region: string } {
  const [language = '', ...rest] = tag.split('-')
  const script = rest.find((part) => /^[A-Za-z]{4}$/.test(part)) ?? ''
  const region = rest.find((part) => /^([A-Za-z]{2}|\d{3})$/.test(part)) ?? ''
  return { language, script, region }
}

export function createLocale(transport: Transport): Locale {
  async function get(progress: Progress): Promise<string> {
    const [set = '', product = ''] = (await run(transport, readCommand, progress)).split('\n')
    return set.trim() === '' ? product.trim() : set.trim()
  }
  return {
    get,
    async set(locale, progress) {
      const { language, script, region } = partsOf(locale)
      const extras = ['--es', 'lang', language, '--es', 'country', region]
      if (script !== '') extras.push('--es', 'script', script)
      return writing('the language', async () => {
        const answer = await broadcast(transport, 'LocaleSettingReceiver', 'locale', extras, progress)
        if (!answer.ok) throw /is not known/.test(answer.data) ? unknownLocale(locale) : rejected(answer.data)
        const within = progress.within(readBackMs)
        for (;;) {
          const now = await get(within)
          if (isSame(now, locale)) return now
          if (within.remaining < 200) {
            throw new ApiError('provider_error', {
              message: 'The phone did not accept the locale.',
              details: { locale: now },
            })
          }
          await within.sleep(100, 'the change of the language')
        }
      })
    },
  }
}

/** Returns the error for a well-formed locale that the phone does not have. */
function unknownLocale(locale: string): ApiError {
  return new ApiError('validation_failed', {
    message: `\`locale\` is \`${locale}\`, which this phone does not support.`,
    next: 'Send a language and a region that Android supports, such as `en-US` or `pt-BR`.',
    details: {
      validation_stage: 'phone',
      issues: [{ path: ['locale'], message: 'is not a locale that this phone supports' }],
    },
  })
}

const rejected = (reason: string): ApiError =>
  new ApiError('provider_error', {
    message: 'The phone did not accept the locale.',
    details: { reason: reason.slice(0, 200) },
  })

/** A phone may add the script that the tag omits (`zh-Hant-TW` for `zh-TW`). */
function isSame(found: string, wanted: string): boolean {
  const [has, asks] = [partsOf(found), partsOf(wanted)]
  return (
    has.language === asks.language &&
    has.region === asks.region &&
    (asks.script === '' || has.script === asks.script)
  )
}
