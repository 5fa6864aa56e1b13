import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { guardedHosts, storePackages, walletPackages } from './guard-list.js'
import { guardedApp, guardedField, guardedFolder, isGuardedUrl } from './guard.js'

const field = (id: string, ...labels: string[]) => guardedField({ password: false, id, labels })

describe('folders of apps', () => {
  it('are found in any spelling that the file system of a phone takes for the same', () => {
    for (const path of [
      '/sdcard/Android/data/com.android.vending/files/a',
      '/sdcard/android/OBB/COM.Android.Vending',
      '/sdcard/Android/media/com.android.vend\u200bing/a',
      '/sdcard/Android/data/com.android.v\uff45nding/a',
    ])
      expect(guardedFolder(path), path).toBe('com.android.vending')
    expect(guardedFolder('/sdcard/Android/data/com.eg.android.alipaygphone/a')).toBe(
      'com.eg.android.AlipayGphone',
    )
    for (const path of [
      '/sdcard/Download/com.android.vending',
      '/sdcard/Android/data/com.example/a',
      '/sdcard',
    ])
      expect(guardedFolder(path), path).toBeNull()
  })
})

describe('apps', () => {
  it('guards stores and wallets, and no other package', () => {
    for (const name of storePackages) expect(guardedApp(name)).toBe('store')
    for (const name of walletPackages) expect(guardedApp(name)).toBe('wallet')
    const listed = new Set<string>([...storePackages, ...walletPackages])
    fc.assert(
      fc.property(fc.constantFrom(...listed), fc.string({ minLength: 1 }), (name, more) => {
        for (const other of [`${name}${more}`, `${more}${name}`])
          expect(guardedApp(other)).toBe(listed.has(other) ? guardedApp(other) : null)
      }),
    )
    expect(guardedApp('com.example.app', 'com.example.app.Main')).toBeNull()
  })

  it('guards the payment sheet of Google Play services, and not its other screens', () => {
    const gms = 'com.google.android.gms'
    expect(guardedApp(gms, `${gms}.wallet.ui.PaymentActivity`)).toBe('wallet')
    expect(guardedApp(gms, `${gms}.auth.SignIn`)).toBeNull()
  })
})

describe('links', () => {
  it('guards the hosts of the list and their subdomains', () => {
    for (const host of guardedHosts)
      for (const url of [`https://${host}/a`, `http://WWW.${host}:8080/?x`, `https://${host}./`])
        expect(isGuardedUrl(url), url).toBe(true)
    for (const host of ['example.com', 'notpaypal.com', 'paypal.com.example.com', 'google.com'])
      expect(isGuardedUrl(`https://${host}/paypal.com`), host).toBe(false)
  })
})

describe('fields', () => {
  it('guards what the phone masks, under any name', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (id, labels) => {
        expect(guardedField({ password: true, id, labels })).toBe('password_field')
      }),
    )
  })

  it.each([
    'a:id/card_number',
    'cardNumber',
    'cc-number',
    'CARDNUMBER',
    'b:id/cvv',
    'cardCvc',
    'txt_iban',
    'x:id/expiry',
  ])('guards the payment field with the ID %s', (id) => expect(field(id)).toBe('payment_field'))

  it.each([
    'Card number',
    'MM / YY',
    'Kartennummer',
    'Numéro de carte',
    'NÚMERO DE TARJETA',
    '卡号',
    'IBAN',
    '카드번호',
  ])('guards the payment field with the label %s', (label) =>
    expect(field('a:id/field1', label)).toBe('payment_field'),
  )

  it.each(['Password', 'mot de passe', 'Contraseña', '密码', '비밀번호'])(
    'guards the password field with the label %s, even when its text is shown',
    (label) => expect(field('a:id/field1', label)).toBe('password_field'),
  )

  it.each([
    ['com.example.cards:id/title', 'Title'],
    ['a:id/search', 'Search the shop'],
    ['a:id/postcard', 'Your message'],
    ['com.cvv.app:id/name', 'Name on the parcel'],
    ['a:id/ribbon_color', 'Colour of the Caribbean'],
    ['', ''],
  ])('leaves %s (%s) to the agent', (id, label) => expect(field(id, label)).toBeNull())
})
