/** The secret of a webhook, once, with what a receiver does with it. */
import { Button } from '../../ui/button'
import { Secret } from '../../ui/copy'

const example = `import { Webhook } from 'standardwebhooks'

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers)`

interface Props {
  secret: string
  onDone: () => void
}

export const ShownSecret = ({ secret, onDone }: Props) => (
  <div className="grid min-w-0 gap-4">
    <Secret text={secret} what="secret" />
    <p className="text-muted">Verify each request with a library of Standard Webhooks:</p>
    {/* Scrolls, so it must be reachable by keyboard. */}
    <pre
      tabIndex={0}
      aria-label="Verification example"
      className="overflow-x-auto rounded-md border border-border bg-code p-3 font-mono text-[13px] leading-relaxed"
    >
      {example}
    </pre>
    <div className="flex justify-end">
      <Button look="primary" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  </div>
)
