import { describe, expect, test } from 'vitest';
import { parseServerUri } from '@/server/transport/bootstrap/server-uri';

describe('parseServerUri', () => {
  const good: [uri: string, target: string][] = [
    ['td.example:443', 'td.example:443'],
    ['127.0.0.1:18000', '127.0.0.1:18000'],
    ['dns:///td.example:443', 'td.example:443'],
    ['dns:td.example:443', 'td.example:443'],
    ['dns://8.8.8.8/td.example:443', 'td.example:443'],
    ['dns:///td.example', 'td.example:443'],
    ['td.example', 'td.example:443'],
    ['localhost:15010', 'localhost:15010'],
    ['ipv4:10.0.0.1:15010', '10.0.0.1:15010'],
    ['ipv6:[::1]:15010', '[::1]:15010'],
    ['ipv6:::1', '[::1]:443'],
    ['[::1]:15010', '[::1]:15010'],
  ];
  test.each(good)('%s is %s', (uri, text) => {
    expect(parseServerUri(uri)).toMatchObject({ ok: true, target: { text } });
  });

  const bad: [uri: string, reason: RegExp][] = [
    ['unix:/run/xds.sock', /^expected host:port, dns:, ipv4: or ipv6:, got "unix:/],
    ['xds:///shop', /^expected host:port, dns:, ipv4: or ipv6:, got "xds:/],
    ['dns:///td.example:443/path', /paths are not allowed/],
    ['https://td.example', /^expected host:port, dns:, ipv4: or ipv6:, got "https:/],
    ['ipv4:10.0.0.1:1,10.0.0.2:2', /^expected one address, got several/],
    ['dns:///', /expected host:port/],
    ['td.example:0', /a port is 1 to 65535/],
  ];
  test.each(bad)('%s is rejected with a reason', (uri, reason) => {
    expect(parseServerUri(uri)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});
