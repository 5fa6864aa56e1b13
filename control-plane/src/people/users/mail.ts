/** Sends mail to people, when a server for it is configured. */
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
  /** @throws Error when the server did not take it */
  send(mail: Mail): Promise<void>
  close(): void
}

/** Milliseconds; a person waits for it. */
const patience = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 }

export function createMailer({ smtpUrl, from }: MailConfig): Mailer {
  const transport = createTransport({ url: smtpUrl, ...patience })
  return {
    async send({ to, subject, text }) {
      // An address object, so that commas and quotes in it do not add recipients.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}

/** @param project name of the project */
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
  text: `Somebody asked for a new password for your Phonerack account.

Open this link to choose one. It works once, for one hour:

${url}

If it was not you, ignore this mail: nothing has changed.
`,
})

export const signUpMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Your Phonerack account',
  text: `Somebody asked for a Phonerack account with this address.

Open this link to create it. It works once, for one hour:

${url}

If it was not you, ignore this mail: there is no account.
`,
})

/** For a person who has an account, and asks for one. */
export const haveAccountMail = (to: string, signInUrl: string): Mail => ({
  to,
  subject: 'Your Phonerack account',
  text: `Somebody asked for a Phonerack account with this address. You have one already.

Sign in here, or ask there for a new password:

${signInUrl}

If it was not you, ignore this mail: nothing has changed.
`,
})

/** Names come from people; a link in one must not look like ours. */
const oneLine = (text: string): string => plain(text).replace(/\s+/g, ' ').replaceAll('://', ': //')
