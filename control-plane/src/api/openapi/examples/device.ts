/** Examples of a phone's settings, files and restarts. */
import { startingPhone } from './phones.js'
import { one, type OperationExamples } from './kinds.js'

const notes = '/sdcard/Download/notes.txt'
const berlin = { lat: 52.52, lng: 13.405 }
const code = { text: 'verification code 482913' }

const quiet = { stderr: '', timed_out: false, truncated: false }

export const deviceExamples: Record<string, OperationExamples> = {
  getDevice: {
    answers: {
      200: one('phone', 'A phone without a SIM card', {
        brand: 'google',
        model: 'Pixel 8',
        os_version: '14',
        screen: { width: 1080, height: 2400, density: 420 },
        carrier: null,
      }),
    },
  },
  getClipboard: { answers: { 200: one('text', 'The copied text', code) } },
  setClipboard: { body: one('text', 'A text', code), answers: { 200: one('text', 'Set', code) } },
  getLocation: { answers: { 200: one('berlin', 'Berlin', berlin) } },
  setLocation: {
    body: {
      berlin: { summary: 'Berlin, with its time zone', value: berlin },
      place_only: { summary: 'Only the location', value: { ...berlin, timezone_from_location: false } },
    },
    answers: {
      200: {
        berlin: {
          summary: 'With the time zone of the location',
          value: { ...berlin, timezone: 'Europe/Berlin' },
        },
        place_only: { summary: 'Only the location', value: { ...berlin, timezone: null } },
      },
    },
  },
  resetLocation: { answers: { 200: one('reset', 'The default location', { reset: true }) } },
  getLocale: { answers: { 200: one('locale', 'English (United States)', { locale: 'en-US' }) } },
  setLocale: {
    body: one('german', 'German (Germany)', { locale: 'de-DE' }),
    answers: { 200: one('german', 'Set', { locale: 'de-DE' }) },
  },
  getTimezone: {
    answers: {
      200: {
        berlin: { summary: 'A time zone was set', value: { timezone: 'Europe/Berlin' } },
        default: { summary: 'The default applies', value: { timezone: null } },
      },
    },
  },
  setTimezone: {
    body: one('berlin', 'Berlin', { timezone: 'Europe/Berlin' }),
    answers: { 200: one('berlin', 'Set', { timezone: 'Europe/Berlin' }) },
  },
  runShell: {
    body: {
      list: { summary: 'List a folder', value: { command: 'ls /sdcard' } },
      script: { summary: 'Input for the command', value: { command: 'wc -l', stdin: 'a\nb\n', timeout: 5 } },
    },
    answers: {
      200: {
        list: {
          summary: 'The command succeeded',
          value: { ...quiet, stdout: 'DCIM\nDownload\n', exit_code: 0, duration_ms: 21 },
        },
        late: {
          summary: 'The timeout ended the command',
          value: { ...quiet, stdout: '', exit_code: null, timed_out: true, duration_ms: 10_004 },
        },
      },
    },
  },
  rebootPhone: { answers: { 202: one('starting', 'Rebooting', startingPhone) } },
  resetPhone: {
    answers: {
      202: one('starting', 'Being wiped', {
        phone: startingPhone,
        wiped: ['apps', 'files', 'accounts', 'clipboard'],
      }),
    },
  },
  listFiles: {
    answers: {
      200: one('downloads', 'The Download directory', {
        path: '/sdcard/Download',
        data: [
          { name: 'invoices', type: 'directory', size: 0, modified_at: '2026-11-21T12:48:56.000Z' },
          { name: 'notes.txt', type: 'file', size: 5, modified_at: '2026-11-21T12:49:28.000Z' },
        ],
      }),
    },
  },
  writeFile: { answers: { 201: one('written', 'Written', { path: notes, size: 5 }) } },
  deleteFile: { answers: { 200: one('deleted', 'Deleted', { path: notes, deleted: true }) } },
}
