/** Gives a terminal its first key. The page shows the code and the program, and lets the user choose the project. */
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, SquareTerminal } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { call, messageOf } from '../api/client'
import { type WaitingTerminal } from '../api/types'
import { Button } from '../ui/button'
import { FormError, TextField } from '../ui/field'
import { Name } from '../ui/name'
import { Card, Empty, Page } from '../ui/page'
import { Time } from '../ui/time'
import { GrantForm } from './keys/grant-form'

export function Connect() {
  const [code, setCode] = useState('')
  const [decision, setDecision] = useState<'allowed' | 'denied' | null>(null)
  const lookup = useMutation({
    mutationFn: (typed: string) => call('POST /terminals/look', {}, { user_code: typed }),
  })
  const restart = (): void => {
    lookup.reset()
    setDecision(null)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    lookup.mutate(code)
  }
  return (
    <Page
      title="Connect a terminal"
      description={
        <>
          A terminal that asks for a key shows a code, as after{' '}
          <code className="font-mono text-[13px]">phonerack login</code>.
        </>
      }
    >
      <Card className="max-w-lg">
        {decision !== null ? (
          <Empty
            icon={<CircleCheck className="size-5" />}
            title={
              decision === 'allowed' ? 'The terminal gets its key within seconds' : 'The terminal gets no key'
            }
          >
            <Button onClick={restart}>Connect another terminal</Button>
          </Empty>
        ) : lookup.data ? (
          <Decide code={code} terminal={lookup.data} onDecided={setDecision} onBack={restart} />
        ) : (
          <form className="grid gap-4 p-5" onSubmit={submit}>
            <TextField
              label="Code"
              value={code}
              onChange={({ target }) => setCode(target.value)}
              className="font-mono tracking-widest uppercase"
              placeholder="7KQM-2XPA"
              required
              autoFocus
              autoComplete="off"
              maxLength={20}
            />
            <FormError>{lookup.error && messageOf(lookup.error)}</FormError>
            <div>
              <Button type="submit" look="primary" isBusy={lookup.isPending}>
                Continue
              </Button>
            </div>
          </form>
        )}
      </Card>
    </Page>
  )
}

interface DecideProps {
  code: string
  terminal: WaitingTerminal
  onDecided: (decision: 'allowed' | 'denied') => void
  onBack: () => void
}

const Decide = ({ code, terminal, onDecided, onBack }: DecideProps) => (
  <GrantForm
    hint="The terminal spends the credit of this project."
    hasExpiry
    decide={async (grant) => {
      await (grant === null
        ? call('POST /terminals/deny', {}, { user_code: code })
        : call(
            'POST /projects/:project/terminals/allow',
            { project: grant.project },
            { user_code: code, ...grant.rights },
          ))
      onDecided(grant === null ? 'denied' : 'allowed')
    }}
    other={
      <Button look="ghost" onClick={onBack}>
        Another code
      </Button>
    }
  >
    <p className="flex items-start gap-3">
      <SquareTerminal className="mt-0.5 size-5 shrink-0 text-muted" aria-hidden />
      <span className="min-w-0">
        <strong className="break-words">
          <Name>{terminal.client ?? 'A terminal'}</Name>
        </strong>{' '}
        at {terminal.address} asked for a key <Time at={terminal.created_at} />. Allow it only if the terminal
        in front of you shows this code:
      </span>
    </p>
    <p className="rounded-md border border-border bg-code py-3 text-center font-mono text-lg tracking-widest uppercase">
      {code}
    </p>
  </GrantForm>
)
