import { describe, expect, it } from 'vitest';
import { contentBehind, isItem, nextLine } from '@/server/codec/dump-parser/yaml-lines';

/** The contents of the lines of a text. */
function linesOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let line = nextLine(bytes, 0, bytes.length); line; line = nextLine(bytes, line.end + 1, bytes.length))
    lines.push(bytes.subarray(line.content, line.end).toString());
  return lines;
}

describe('the lines of YAML', () => {
  it('are those that are neither blank nor a comment', () => {
    expect(linesOf('a: 1\n\n  # a comment\n   \n  b: "#"\n\r\nc:')).toEqual(['a: 1', 'b: "#"', 'c:']);
    expect(linesOf('')).toEqual([]);
  });

  it.each([
    ['- a', true],
    ['-', true],
    ['-\ta', true],
    ['-a', false],
    ['---', false],
  ])('%j begins an item: %s', (text, isOne) => {
    expect(isItem(Buffer.from(text), 0, text.length)).toBe(isOne);
  });

  it('have content behind a dash or key unless only blanks or a comment follow', () => {
    const behind = (text: string) => contentBehind(Buffer.from(text), 1, text.length);
    expect(behind('-  a')).toBe(3);
    expect(behind('-   ')).toBeUndefined();
    expect(behind('- # a')).toBeUndefined();
  });
});
