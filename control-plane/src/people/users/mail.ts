/** Sends mail to people, if the configuration names a mail server. */
import { plain } from '@phonerack/shared'
import { createTransport } from 'nodemailer'
import { type MailConfig } from '../../base/config/console.js'

export interface Mail {
  to: string
  subject: string
  /** Plain text. */
  text: string
}

export interface Mailer {
  /** @throws Error when the server did not accept the mail */
  send(mail: Mail): Promise<void>
  close(): void
}

/** Milliseconds. A person waits for the mail to be sent. */
const patience = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 }

export function createMailer({ smtpUrl, from }: MailConfig): Mailer {
  const transport = createTransport({ url: smtpUrl, ...patience })
  return {
    async send({ to, subject, text }) {
      // An address object keeps commas and quotes in the address from adding recipients.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}

/** @param project the name of the project */
export const invitationMail = (to: string, project: string, by: string, url: string): Mail => ({
  to,
  subject: `Invitation to the project ${oneLine(project)} on Phonerack`,
  text: `${oneLine(by)} invites you to the project ${oneLine(project)} on Phonerack.

Open this link to join. It works once, for 7 days:

${url}
`,
})

export const resetMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Your Phonerack password',
  text: `A new password was requested for your Phonerack account.

Open this link to choose one. It works once, for one hour:

${url}

If it was not you, ignore this mail: nothing has changed.
`,
})

export const signUpMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Your Phonerack account',
  text: `A Phonerack account was requested for this address.

Open this link to create it. It works once, for one hour:

${url}

If it was not you, ignore this mail: there is no account.
`,
})

/** For a person who requests an account and already has one. */
export const haveAccountMail = (to: string, signInUrl: string): Mail => ({
  to,
  subject: 'Your Phonerack account',
  text: `A Phonerack account was requested for this address, but you already have an account.

Sign in here, or ask there for a new password:

${signInUrl}

If it was not you, ignore this mail: nothing has changed.
`,
})

/** People choose names. A link in a name must not look like a link of this service. */
const oneLine = (text: string): string => plain(text).replace(/\s+/g, ' ').replaceAll('://', ': //')
