/** Chooses an amount of credit, and goes to the page of the payment provider. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, messageOf } from '../../api/client'
import { type Project } from '../../api/types'
import { Button } from '../../ui/button'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { FormError, TextField } from '../../ui/field'

const common = [10, 25, 50, 100, 250]

interface BuyProps {
  project: string
  purchase: NonNullable<Project['purchase']>
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function Buy({ project, purchase, isOpen, onOpenChange }: BuyProps) {
  const { min_usd: min, max_usd: max, default_usd: initial } = purchase
  const [amount, setAmount] = useState(String(initial))
  const buy = useMutation({
    mutationFn: () => call('POST /projects/:project/checkouts', { project }, { amount_usd: Number(amount) }),
    onSuccess({ url }) {
      if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('The payment page has no web address.')
      window.location.assign(url)
    },
  })
  const { reset } = buy
  useEffect(() => {
    // When the payer goes back, the browser restores this page with its busy button.
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) reset()
    }
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [reset])
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(open) => {
        reset()
        onOpenChange(open)
      }}
      title="Buy credit"
      description="You pay on a page of Stripe, which adds taxes, and then come back here."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          buy.mutate()
        }}
      >
        <TextField
          label="Amount in US dollars"
          name="amount"
          type="number"
          inputMode="numeric"
          required
          step={1}
          min={min}
          max={max}
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
          hint={`Whole dollars, from ${min} to ${max}.`}
        />
        <div className="flex flex-wrap gap-2" role="group" aria-label="Common amounts">
          {common
            .filter((each) => each >= min && each <= max)
            .map((each) => (
              <Button
                key={each}
                size="small"
                aria-pressed={amount === String(each)}
                className="aria-pressed:border-primary aria-pressed:text-primary"
                onClick={() => setAmount(String(each))}
              >
                ${each}
              </Button>
            ))}
        </div>
        <FormError>{buy.error && messageOf(buy.error)}</FormError>
        <DialogButtons>
          <Button type="submit" look="primary" isBusy={buy.isPending || buy.isSuccess}>
            Continue to Stripe
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
