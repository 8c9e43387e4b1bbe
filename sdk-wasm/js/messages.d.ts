import type { Line, Messages, Money, Problem } from "./masterorder.js";

/** Our texts, as `createClient` has them and `createBareClient` has not. */
export const ja: Messages;
export const en: Messages;

/** The text for a code, for pages that say it themselves. Never empty. */
export function message(words: Messages, code: string, about?: { problem?: Partial<Problem>; lines?: readonly Line[]; seconds?: number }): string;

/** Writes an amount, as in `¥680` or 680円. */
export function money(lang: string, amount: Money): string;

/** Writes how long ago something was, as in `3 minutes ago` or 3分前: for texts with `seconds`. */
export function ago(lang: string, seconds: number): string;
