/** A stand-in for Stripe: it serves checkout pages to a browser, and reports payments by signed webhooks. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'

const webhookSecret = 'whsec_of_this_test'

export interface StripePages {
  /** The settings for the control plane. */
  env: Record<string, string>
  /**
   * Reports that the newest checkout was paid.
   * @param baseUrl the control plane's
   */
  confirm(baseUrl: string): Promise<number>
  close(): void
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** The settings of a control plane for a stand-in on this port. */
export const stripeEnv = (port: number): Record<string, string> => ({
  PHONERACK_STRIPE_SECRET_KEY: 'sk_test_of_this_test',
  PHONERACK_STRIPE_WEBHOOK_SECRET: webhookSecret,
  PHONERACK_STRIPE_URL: `http://127.0.0.1:${port}`,
})

/** @param wanted the stand-in's port; 0 for a free port */
export async function startStripePages(wanted = 0): Promise<StripePages> {
  const forms: URLSearchParams[] = []
  let origin = ''
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const intent = /^\/v1\/payment_intents\/(\w+)/.exec(request.url ?? '')?.[1]
      if (intent !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' })
        const charge = { id: 'ch_1', object: 'charge', receipt_url: `https://pay.stripe.com/${intent}` }
        response.end(JSON.stringify({ id: intent, object: 'payment_intent', latest_charge: charge }))
        return
      }
      const page = /^\/pay\/(\d+)$/.exec(request.url ?? '')
      if (page) {
        const form = forms[Number(page[1])]
        const link = (name: string, to: string) =>
          `<p><a href="${escaped(form?.get(to) ?? '')}">${name}</a></p>`
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        response.end(
          `<!doctype html><link rel="icon" href="data:,"><h1>Pay ${form?.get('line_items[0][price_data][unit_amount]')} cents</h1>` +
            link('Pay', 'success_url') +
            link('Cancel', 'cancel_url'),
        )
        return
      }
      forms.push(new URLSearchParams(Buffer.concat(chunks).toString()))
      response.writeHead(200, { 'content-type': 'application/json' })
      const session = { id: 'cs_1', object: 'checkout.session', url: `${origin}/pay/${forms.length - 1}` }
      response.end(JSON.stringify(session))
    })
  })
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    env: stripeEnv(port),
    async confirm(baseUrl) {
      const form = forms.at(-1)
      const checkout = form?.get('client_reference_id') ?? ''
      const cents = Number(form?.get('line_items[0][price_data][unit_amount]'))
      const object = {
        id: `cs_${checkout}`,
        object: 'checkout.session',
        client_reference_id: checkout,
        payment_status: 'paid',
        payment_intent: `pi_${checkout}`,
        currency: 'usd',
        amount_subtotal: cents,
        amount_total: cents,
      }
      const body = JSON.stringify({
        id: 'evt_1',
        object: 'event',
        type: 'checkout.session.completed',
        data: { object },
      })
      const at = Math.floor(Date.now() / 1000)
      const signature = createHmac('sha256', webhookSecret).update(`${at}.${body}`).digest('hex')
      const answer = await fetch(`${baseUrl}/webhooks/stripe`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` },
      })
      return answer.status
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
