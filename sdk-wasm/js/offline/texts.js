// What the guest reads of a confirmation that waited, by code.

export const TEXTS = {
  ja: {
    OFFLINE_CANCELLED: "ご注文を取りやめました。送信はしていません",
    OFFLINE_EXPIRED: "時間が経ったため、ご注文は送信していません。内容をご確認のうえ、もう一度ご注文ください",
    CART_CHANGED: "カートの内容が変わりました。ご確認のうえ、もう一度ご注文ください",
    UNKNOWN: "ご注文が届いたか、まだ確認できていません。もう一度押しても二重にはなりません",
  },
  en: {
    OFFLINE_CANCELLED: "The order was cancelled. Nothing was sent.",
    OFFLINE_EXPIRED: "Too much time has passed, and your order was not sent. Please check it and order again.",
    CART_CHANGED: "Your cart has changed. Please check it and order again.",
    UNKNOWN: "We do not know yet whether your order arrived. Pressing again will not order twice.",
  },
};
