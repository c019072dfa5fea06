/** Small words of the invariants. */
import type { Judgement } from '../contract.ts';

export const judge = (good: boolean, detail: string): Judgement => ({
  result: good ? 'holds' : 'violated',
  detail,
});

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
