/**
 * The data of the profile `guarded`: apps, links and fields that are left to a person. The profile is a guard
 * and not a guarantee: it does not recognise apps and fields that are not listed here. Read by `guard.ts`;
 * docs/mcp.md shows it. docs/decisions/0268
 */

/** Stores of apps. */
export const storePackages = [
  'com.android.vending',
  'com.amazon.venezia',
  'com.aurora.store',
  'com.bbk.appstore',
  'com.heytap.market',
  'com.hihonor.appmarket',
  'com.huawei.appmarket',
  'com.lenovo.leos.appstore',
  'com.meizu.mstore',
  'com.oppo.market',
  'com.sec.android.app.samsungapps',
  'com.tencent.android.qqdownloader',
  'com.xiaomi.market',
  'com.xiaomi.mipicks',
  'org.fdroid.fdroid',
  'ru.vk.store',
] as const

/** Wallets, and apps for payments. */
export const walletPackages = [
  'com.google.android.apps.nbu.paisa.user',
  'com.google.android.apps.walletnfcrel',
  'com.samsung.android.spay',
  'com.samsung.android.spaymini',
  'com.huawei.wallet',
  'com.mipay.wallet',
  'com.coinbase.android',
  'com.eg.android.AlipayGphone',
  'com.klarna',
  'com.phonepe.app',
  'com.revolut.revolut',
  'com.squareup.cash',
  'com.transferwise.android',
  'com.venmo',
  'com.wallet.crypto.trustapp',
  'com.zellepay.zelle',
  'com.paypal.android.p2pmobile',
  'io.metamask',
  'net.one97.paytm',
] as const

/** Beginnings of activities of other packages: the payment sheet of Google Play services. */
export const walletActivities = ['com.google.android.gms.wallet.', 'com.google.android.gms.pay.'] as const

/** Hosts whose links open one of these apps, with their subdomains. */
export const guardedHosts = [
  'appgallery.huawei.com',
  'cash.app',
  'galaxystore.samsung.com',
  'link.trustwallet.com',
  'pay.google.com',
  'paypal.com',
  'paypal.me',
  'play.google.com',
  'venmo.com',
  'wallet.google.com',
] as const

/** Whole words in the resource ID, hint or description of a field. */
export const fieldWords = {
  password: ['pwd', 'senha'],
  payment: ['ccexp', 'ccnum', 'csc', 'cvc', 'cvc2', 'cvv', 'cvv2', 'expiry', 'iban'],
} as const

/** Parts of words in the same texts, without spaces, accents and punctuation. */
export const fieldParts = {
  password: ['contraseña', 'kennwort', 'mot de passe', 'passcode', 'passphrase', 'passwd', 'password'].concat(
    ['passwort', '密码', '密碼', 'パスワード', '비밀번호'],
  ),
  payment: [
    ...['account number', 'card expir', 'card number', 'card no', 'card security', 'card verification'],
    ...['cc number', 'credit card', 'debit card', 'expiration date', 'expiry date', 'exp date', 'mm/yy'],
    ...['routing number', 'sort code', 'ablaufdatum', 'kartennummer', 'kontonummer', 'kreditkarte'],
    ...['prüfnummer', 'numéro de carte', 'date d’expiration', 'número de tarjeta', 'fecha de caducidad'],
    ...['numero di carta', 'carta di credito', '卡号', '卡號', 'カード番号', '카드번호'],
  ],
} as const
