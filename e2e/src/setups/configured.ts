/**
 * The system with the settings of many tests: payments, sign-in at an issuer, mail, traces and raised limits.
 */
import type { TestProject } from 'vitest/node'
import { contractEnv } from '../contract/run.js'
import { issuerEnv } from '../system/oidc-issuer.js'
import { stripeEnv } from '../system/stripe.js'
import { freePort, withoutFastWay } from '../system/system.js'
import { provideSystems } from './provide.js'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The ports of the services that the system is configured for. A test file starts the services that it
     * needs.
     */
    standIns: { stripe: number; issuer: number; mail: number; traces: number }
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const standIns = {
    stripe: await freePort(),
    issuer: await freePort(),
    mail: await freePort(),
    traces: await freePort(),
  }
  project.provide('standIns', standIns)
  return provideSystems(project, {
    system: {
      virtualPhones: 4,
      faultPort: true,
      without: [[], [], [], withoutFastWay],
      env: {
        ...contractEnv,
        ...stripeEnv(standIns.stripe),
        ...issuerEnv(`http://127.0.0.1:${standIns.issuer}`),
        PHONERACK_SMTP_URL: `smtp://127.0.0.1:${standIns.mail}`,
        PHONERACK_SIGN_UP: 'open',
        PHONERACK_SIGN_UP_CREDIT: '5',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${standIns.traces}`,
        OTEL_BSP_SCHEDULE_DELAY: '200',
        LOG_LEVEL: 'debug',
      },
    },
  })
}
