import { describe, expect, it } from 'vitest';
import { childName } from '@/lib/lb/grpc/child-names';
import { type ChildNumbers, numberChildren } from '@/lib/lb/grpc/child-numbers';
import { type GrpcClient, grpcClients } from '@/lib/xds/profile';

/** "AA,BB | CC" -> [["AA", "BB"], ["CC"]] */
function priorities(text: string): string[][] {
  return text.split('|').map((part) => part.trim().split(','));
}

function play(kind: GrpcClient, updates: readonly string[]): string[] {
  let before: ChildNumbers | null = null;
  return updates.map((update) => {
    before = numberChildren[kind](before, priorities(update));
    return before.numbers.join(',');
  });
}

describe('section 5.3: names of priority children in successive updates', () => {
  const moves = ['AA,BB | CC,DD', 'CC | DD,EE', 'AA,BB | CC,DD'];
  const merges = ['L1 | L2 | L3', 'L1,L2 | L3', 'L1 | L4'];
  const swap = ['A | B', 'B | A'];
  const cases: readonly [string, readonly string[], Record<GrpcClient, readonly string[]>][] = [
    [
      'localities move up and back',
      moves,
      {
        core: ['0,1', '1,2', '3,1'],
        go: ['0,1', '2,1', '3,1'],
        java: ['1,2', '2,3', '4,2'],
        node: ['0,1', '1,2', '3,2'],
      },
    ],
    [
      'priorities merge, then one comes',
      merges,
      {
        core: ['0,1,2', '0,2', '0,3'],
        go: ['0,1,2', '0,2', '0,3'],
        java: ['1,2,3', '1,3', '1,4'],
        node: ['0,1,2', '0,2', '0,3'],
      },
    ],
    [
      'priorities swap',
      swap,
      { core: ['0,1', '1,0'], go: ['0,1', '1,0'], java: ['1,2', '2,1'], node: ['0,1', '1,2'] },
    ],
  ];
  for (const [title, updates, expected] of cases)
    it.each(grpcClients)(`${title}: %s`, (kind) => expect(play(kind, updates)).toEqual(expected[kind]));
});

it('a repeated update keeps all names', () => {
  for (const kind of grpcClients) {
    const [first, again] = play(kind, ['A,B | C | D,E', 'A,B | C | D,E']);
    expect(again).toBe(first);
  }
});

it('names are unique in an update, and a removed name is never used again', () => {
  for (const kind of grpcClients) {
    const reported = play(kind, ['A | B | C', 'A', 'A | B', 'D | A', 'B | D']);
    for (const each of reported) expect(new Set(each.split(',')).size).toBe(each.split(',').length);
    expect(reported[2]?.split(',')[1]).not.toBe(reported[0]?.split(',')[1]);
  }
});

it('names have the form of each client', () => {
  expect(grpcClients.map((kind) => childName(kind, 'cart', 2))).toEqual([
    '{cluster=cart, child_number=2}',
    'priority-0-2',
    'cart[child2]',
    'cluster=cart, child_number=2',
  ]);
});
