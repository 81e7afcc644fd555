import { describe, expect, test } from 'vitest';
import { parseTargetList } from '@/server/sources/target-list/parse-target-list';

const keys = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}: 1`).join(', ');

const targets = (text: string): string[] => parseTargetList(text).targets.map(({ target }) => target);

describe('parseTargetList', () => {
  test('reads lines of host:port with a label, and leaves comments out', () => {
    const { targets: found, problems } = parseTargetList(
      '# mesh\n127.0.0.1:50051 cart in eu\n\n[::1]:9 # not yet named\nShop.Example:1\n',
    );
    expect(found).toEqual([
      { target: '127.0.0.1:50051', label: 'cart in eu' },
      { target: '[::1]:9', label: '[::1]:9' },
      { target: 'shop.example:1', label: 'shop.example:1' },
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    ['file_sd as JSON', '[{"targets":["10.0.0.1:1","10.0.0.2:1"],"labels":{"name":"cart"}}]'],
    ['file_sd as YAML', '- targets: ["10.0.0.1:1", "10.0.0.2:1"]\n  labels:\n    name: cart\n'],
  ])('reads %s', (_, text) => {
    expect(parseTargetList(text).targets).toEqual([
      { target: '10.0.0.1:1', label: 'cart' },
      { target: '10.0.0.2:1', label: 'cart' },
    ]);
  });

  test('reads a plain list, and each target once', () => {
    expect(targets('["a:1", "b:2", "A:1"]')).toEqual(['a:1', 'b:2']);
    expect(targets('# both\n- a:1\n- b:2\n')).toEqual(['a:1', 'b:2']);
  });

  test('reports invalid entries with their places, and reads the others', () => {
    const { targets: found, problems } = parseTargetList(
      '[{"targets":["a:1", 7, "http://b:2"]}, {"labels":{}}, "c:3"]',
    );
    expect(found.map(({ target }) => target)).toEqual(['a:1', 'c:3']);
    expect(problems).toEqual([
      '[0].targets[1]: expected host:port, got 7',
      expect.stringContaining('[0].targets[2]: expected host:port'),
      expect.stringContaining('[1]: expected host:port, or a group with targets'),
    ]);
    expect(parseTargetList('a:1\nb\n').problems).toEqual([expect.stringContaining('line 2:')]);
  });

  test('reports the number of many problems', () => {
    const { problems } = parseTargetList('x\n'.repeat(100));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('and 80 more problems');
  });

  test.each([
    ['JSON', `[${'1,'.repeat(800_000)}1]`, 'expected at most 800000 members in a document, got 800001'],
    ['YAML', `---\n${'- 1\n'.repeat(150_001)}`, 'expected at most 150000 members in a document, got 150001'],
    [
      'keys that are all different',
      `- {${keys(100_001)}}`,
      'expected at most 100000 members in an object, got 100001',
    ],
    ['a key twice', '- {a: 1, b: 2, a: 3}\n', 'Map keys must be unique at line 1, column 16'],
    ['levels', `${'- '.repeat(501)}a`, 'expected at most 500 levels of nesting, got at least 501'],
    ['two documents', '---\n- a:1\n---\n- b:1\n', 'expected one document of YAML, got 2'],
  ])('rejects a document beyond a limit: %s', (_, text, message) => {
    expect(() => parseTargetList(text)).toThrow(message);
  });

  test('reads groups of 50,000 labels in linear time', () => {
    const groups = `- targets: ["a:1"]\n  labels: {name: cart, ${keys(50_000)}}\n`;
    expect(parseTargetList(groups).targets).toEqual([{ target: 'a:1', label: 'cart' }]);
  });

  test('keeps integers that a number would round', () => {
    expect(parseTargetList('- 12345678901234567890\n').problems).toEqual([
      expect.stringContaining('expected host:port, or a group with targets, got "12345678901234567890"'),
    ]);
  });

  test('rejects a document that is not a list', () => {
    expect(() => parseTargetList('{"targets": []}')).toThrow('expected a list of targets');
    expect(() => parseTargetList('[{"targets":')).toThrow('expected JSON or YAML');
  });
});
