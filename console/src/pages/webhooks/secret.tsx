/** Shows the secret of a webhook once, with code that verifies a request with it. */
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
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
    <Code text={example} what="Verification example" />
    <div className="flex justify-end">
      <Button look="primary" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  </div>
)
