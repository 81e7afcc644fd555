import { afterEach, expect, test, vi } from 'vitest';
import { StoredSwitch } from '@/app/_hooks/stored-switch';

afterEach(() => vi.unstubAllGlobals());

/** The storage of a browser. */
function stubStorage(stored: Map<string, string>): void {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
}

test('the state is stored, and found after the page is loaded again', () => {
  const stored = new Map<string, string>();
  stubStorage(stored);
  new StoredSwitch('zone', 'UTC').set(true);
  expect([...stored]).toEqual([['zone', 'UTC']]);
  const again = new StoredSwitch('zone', 'UTC');
  expect(again.isOn()).toBe(true);
  again.set(false);
  expect(stored.size).toBe(0);
});

test('subscribers are called until they unsubscribe', () => {
  stubStorage(new Map());
  const choice = new StoredSwitch('zone', 'UTC');
  const listener = vi.fn();
  const unsubscribe = choice.subscribe(listener);
  choice.set(true);
  unsubscribe();
  choice.set(false);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('without a storage, the state lasts as long as the page', () => {
  const forbidden = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: forbidden, setItem: forbidden, removeItem: forbidden });
  const choice = new StoredSwitch('zone', 'UTC');
  expect(choice.isOn()).toBe(false);
  choice.set(true);
  expect(choice.isOn()).toBe(true);
});
