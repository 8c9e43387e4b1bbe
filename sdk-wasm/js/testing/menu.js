// A small menu: a dish that has to be chosen for, one that does not, one that is sold out, one that is off.

const yen = (amountMinor) => ({ amountMinor, currency: "JPY" });
const id = (number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

const thing = (number, sku, ja, en, price, more) => ({
  id: id(number),
  sku,
  name: { ja, en },
  price: yen(price),
  available: true,
  soldOut: false,
  remaining: null,
  ...more,
});

const dish = (number, sku, ja, en, price, more) =>
  thing(number, sku, ja, en, price, { description: { ja: "", en: "" }, imageUrl: null, allergens: [], toppingGroups: [], ...more });

const firmness = {
  id: id(100),
  name: { ja: "麺の硬さ", en: "Noodle firmness" },
  min: 1,
  max: 1,
  toppings: [thing(101, "T-FIRM-REG", "普通", "Regular", 0), thing(102, "T-FIRM-HARD", "かため", "Firm", 0)],
};

const extras = {
  id: id(110),
  name: { ja: "トッピング", en: "Toppings" },
  min: 0,
  max: 3,
  toppings: [thing(111, "T-EGG", "味玉", "Seasoned egg", 120, { remaining: 5 })],
};

export const MENU = {
  version: 1,
  shop: { name: { ja: "酒場 まる", en: "Sakaba Maru" }, currency: "JPY", takesOrders: true },
  sections: [
    {
      id: id(1),
      name: { ja: "おすすめ", en: "Recommended" },
      items: [
        dish(10, "EDAMAME", "枝豆", "Edamame", 380),
        dish(11, "RAMEN", "醤油ラーメン", "Shoyu ramen", 850, { toppingGroups: [firmness, extras] }),
        dish(12, "SASHIMI", "刺身盛り合わせ", "Assorted sashimi", 1580, { soldOut: true, remaining: 0 }),
        dish(13, "ODEN", "おでん", "Oden", 680, { available: false }),
      ],
    },
  ],
};
