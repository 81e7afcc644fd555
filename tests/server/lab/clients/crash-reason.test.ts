import { describe, expect, it } from 'vitest';
import { findCrashReason } from '@/server/lab/clients/crash-reason';

describe('findCrashReason', () => {
  it.each([
    ['nothing', '', ''],
    [
      'a Node stack',
      'x.js:1\nSyntaxError: Invalid regular expression: /^[$/u\n    at new RE2 (re2.js:189:19)\n\nNode.js v20.20.2\n',
      'SyntaxError: Invalid regular expression: /^[$/u',
    ],
    [
      'a Python traceback',
      'Traceback (most recent call last):\n  File "c.py", line 3\nModuleNotFoundError: No module named \'grpc\'\n',
      "ModuleNotFoundError: No module named 'grpc'",
    ],
    ['no error line', 'Killed by the kernel\n', 'Killed by the kernel'],
  ])('finds it in %s', (_, stderr, expected) => {
    expect(findCrashReason(stderr)).toBe(expected);
  });
});
