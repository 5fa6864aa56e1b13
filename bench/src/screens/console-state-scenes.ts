/** Pages in the pictures of the console that are empty, load, or fail. */
import { type Page } from 'playwright-core'
import { type Furnished } from './console-data.js'
import { type Look, type Scene } from './console-scenes.js'

const two: readonly Look[] = ['375-dark', '1440-light']
const list = /\/console\/api\/projects\/[^/]+\/phones(\?|$)/
const session = '**/console/api/session'

const unreachable = (url: RegExp | string) => ({
  before: (page: Page) => page.route(url, (route) => route.abort()),
  after: (page: Page) => page.unroute(url),
})

const tryAgain = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Try again' }).first().waitFor({ timeout: 60_000 })

export const stateScenes = ({ empty, low }: Furnished): readonly Scene[] => [
  ...['phones', 'keys', 'webhooks', 'events', 'activity'].map((page) => ({
    name: `${page}-empty`,
    path: `${empty}/${page}`,
    only: two,
  })),
  {
    name: 'phones-loading',
    path: 'phones',
    isLoading: true,
    only: two,
    before: (page) => page.route(list, () => undefined),
    after: (page) => page.unroute(list),
  },
  { name: 'phones-unreachable', path: 'phones', only: two, ...unreachable(list), then: tryAgain },
  { name: 'unreachable', path: 'phones', only: two, ...unreachable(session), then: tryAgain },
  {
    name: 'phones-stale',
    path: 'phones',
    only: two,
    async then(page) {
      await page.getByRole('list', { name: 'Phones', exact: true }).waitFor()
      await page.route(list, (route) => route.abort())
      await page.getByText('Not up to date').waitFor({ timeout: 60_000 })
    },
    after: (page) => page.unroute(list),
  },
  { name: 'not-found', path: '../../nothing', only: two },
  { name: 'credit-low', path: `${low}/phones` },
  {
    name: 'confirm',
    path: 'keys',
    async then(page) {
      const error = {
        code: 'unauthorized',
        message: 'Sign in again.',
        next: null,
        request_id: '',
        details: { reason: 'recent_sign_in' },
      }
      await page.route('**/keys', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 401, json: { error } })
          : route.continue(),
      )
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('checkout agent')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
    },
    after: (page) => page.unroute('**/keys'),
  },
]
