/** Examples of apps: installed apps, the library, and a client's own APK from upload to install. */
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const awaiting = {
  object: 'upload',
  id: ids.upload,
  status: 'awaiting_file',
  package: null,
  version_code: null,
  version_name: null,
  min_sdk: null,
  size_bytes: null,
  sha256: null,
  created_at: '2026-11-21T12:49:30.086Z',
  expires_at: '2026-11-21T13:49:30.086Z',
  error: null,
}
const processing = {
  ...awaiting,
  status: 'processing',
  size_bytes: 18_350_221,
  sha256: '4f2a9c1be07d5836a1c4e9f0b7d26358c9e1f04a7b3d5c68e2f19a0b4c7d8e35',
  expires_at: '2026-11-28T12:50:02.417Z',
}
const ready = {
  ...processing,
  status: 'ready',
  package: 'com.example.shop',
  version_code: 412,
  version_name: '4.12.0',
  min_sdk: 26,
}
const storageId = 'sto_7m3kxq5vwz2b'

export const appExamples: Record<string, OperationExamples> = {
  listApps: {
    answers: {
      200: one('apps', 'A preinstalled app and an installed app', {
        data: [
          {
            package: 'com.android.settings',
            label: 'Settings',
            version_name: '14',
            version_code: 34,
            system: true,
          },
          {
            package: 'com.example.shop',
            label: 'Shop',
            version_name: '4.12.0',
            version_code: 412,
            system: false,
          },
        ],
      }),
    },
  },
  uninstallApp: {
    answers: { 200: one('gone', 'Uninstalled', { package: 'com.example.shop', uninstalled: true }) },
  },
  installApp: {
    body: {
      library: { summary: 'An app from the library', value: { package: 'org.mozilla.firefox' } },
      upload: {
        summary: 'An upload that replaces a build signed with another key',
        value: { upload: ids.upload, replace: true },
      },
    },
    answers: {
      202: {
        library: {
          summary: 'An app from the library',
          value: { package: 'org.mozilla.firefox', status: 'running' },
        },
        upload: {
          summary: 'An upload',
          value: { package: 'com.example.shop', upload: ids.upload, install: ids.install, status: 'running' },
        },
      },
    },
  },
  listInstalls: {
    answers: {
      200: one('installs', 'A finished install of an upload, and a running install from the library', {
        data: [
          {
            package: 'org.mozilla.firefox',
            upload: null,
            install: null,
            status: 'running',
            error: null,
            next: null,
            started_at: '2026-11-21T12:53:10.402Z',
            updated_at: '2026-11-21T12:53:10.402Z',
          },
          {
            package: 'com.example.shop',
            upload: ids.upload,
            install: ids.install,
            status: 'succeeded',
            error: null,
            next: null,
            started_at: '2026-11-21T12:51:44.920Z',
            updated_at: '2026-11-21T12:51:58.317Z',
          },
        ],
      }),
    },
  },
  searchLibrary: {
    answers: {
      200: one('page', 'The last page', {
        data: [
          {
            package: 'org.mozilla.firefox',
            label: 'Firefox',
            version_code: 2_016_116_839,
            version_name: '145.0',
          },
        ],
        next_cursor: null,
      }),
    },
  },
  createUpload: {
    answers: {
      201: one('awaiting_file', 'Send the file to `upload_url`', {
        ...awaiting,
        upload_url: 'https://phones.example.com/uploads/pru_1QTUTLuXmbBHkSqqZya_FecosdgPm2c2kpb3nTttNs0',
        upload_method: 'POST',
        upload_headers: { 'Content-Type': 'application/vnd.android.package-archive' },
        max_bytes: 524_288_000,
      }),
    },
  },
  completeUpload: {
    body: {
      named: { summary: 'The ID of the stored file', value: { storage_id: storageId } },
      as_answered: { summary: 'The response of the upload URL, unchanged', value: { storageId } },
    },
    answers: {
      200: one('ready', 'The project already has this file', ready),
      202: one('processing', 'Poll `GET /v1/apps/uploads/{id}?wait=ready`', processing),
    },
  },
  getUpload: {
    answers: {
      200: {
        ready: { summary: 'Ready to install', value: ready },
        invalid: {
          summary: 'Not an installable APK',
          value: {
            ...processing,
            status: 'invalid_apk',
            error: {
              code: 'invalid_apk',
              message: 'The file is not an installable APK.',
              next: 'Create an upload with another file: POST /v1/apps/uploads',
            },
          },
        },
      },
    },
  },
  listUploads: { answers: { 200: one('page', 'The last page', { data: [ready], next_cursor: null }) } },
  deleteUpload: { answers: { 200: one('deleted', 'Deleted', { ...ready, status: 'deleted' }) } },
}
