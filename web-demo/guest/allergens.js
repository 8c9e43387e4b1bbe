// Names of what guests may not bear: the 8 that Japan makes shops name, the 20 that it recommends to name, and what the demo menu
// has beside them. Any other is shown as the shop wrote it.

import { lang } from '../shared/lang.js';

const NAMES = {
  wheat: { ja: '小麦', en: 'Wheat' },
  egg: { ja: '卵', en: 'Egg' },
  milk: { ja: '乳', en: 'Milk' },
  shrimp: { ja: 'えび', en: 'Shrimp' },
  crab: { ja: 'かに', en: 'Crab' },
  buckwheat: { ja: 'そば', en: 'Buckwheat' },
  peanut: { ja: '落花生', en: 'Peanut' },
  walnut: { ja: 'くるみ', en: 'Walnut' },
  almond: { ja: 'アーモンド', en: 'Almond' },
  abalone: { ja: 'あわび', en: 'Abalone' },
  squid: { ja: 'いか', en: 'Squid' },
  salmon_roe: { ja: 'いくら', en: 'Salmon roe' },
  orange: { ja: 'オレンジ', en: 'Orange' },
  cashew: { ja: 'カシューナッツ', en: 'Cashew' },
  kiwi: { ja: 'キウイ', en: 'Kiwi' },
  beef: { ja: '牛肉', en: 'Beef' },
  sesame: { ja: 'ごま', en: 'Sesame' },
  salmon: { ja: 'さけ', en: 'Salmon' },
  mackerel: { ja: 'さば', en: 'Mackerel' },
  soy: { ja: '大豆', en: 'Soy' },
  chicken: { ja: '鶏肉', en: 'Chicken' },
  banana: { ja: 'バナナ', en: 'Banana' },
  pork: { ja: '豚肉', en: 'Pork' },
  macadamia: { ja: 'マカダミアナッツ', en: 'Macadamia' },
  peach: { ja: 'もも', en: 'Peach' },
  yam: { ja: 'やまいも', en: 'Yam' },
  apple: { ja: 'りんご', en: 'Apple' },
  gelatin: { ja: 'ゼラチン', en: 'Gelatin' },
  fish: { ja: '魚', en: 'Fish' },
};

/** Names allergens in the reader's language, in one line. */
export function allergenNames(codes) {
  return codes.map((code) => NAMES[code]?.[lang()] ?? code).join(lang() === 'ja' ? '・' : ', ');
}
