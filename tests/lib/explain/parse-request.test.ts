import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRequest } from '@/lib/explain/format-request';
import { parseRequest } from '@/lib/explain/parse-request';
import { splitWords } from '@/lib/explain/split-words';

/** "GET http://shop.example/cart [x-color: blue]". */
function parsed(text: string): string {
  const result = parseRequest(text);
  if (!result.ok) return result.message;
  const { method, scheme, authority, path, headers } = result.request;
  const list = headers.map(([name, value]) => `${name}: ${value}`).join(', ');
  return `${method} ${scheme}://${authority}${path}${list === '' ? '' : ` [${list}]`}`;
}

const grpc = 'content-type: application/grpc, te: trailers';

describe('the text of a request', () => {
  it.each([
    ['GET shop.example/cart', 'GET http://shop.example/cart'],
    ['shop.example/cart', 'GET http://shop.example/cart'],
    ['shop.example', 'GET http://shop.example/'],
    ['post https://shop.example:8443/cart?id=1', 'POST https://shop.example:8443/cart?id=1'],
    ['GET /cart HTTP/1.1', 'GET http:///cart'],
    ['https://user:pass@shop.example/#top', 'GET https://shop.example/'],
    ['shop.example?q=1', 'GET http://shop.example/?q=1'],
  ])('%s is %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  it.each([
    ['curl shop.example', 'GET http://shop.example/'],
    ['$ curl -s -v https://shop.example/a', 'GET https://shop.example/a'],
    ["curl -H 'X-Color: blue' shop.example/a", 'GET http://shop.example/a [X-Color: blue]'],
    ['curl --header="a: b c" http://x/', 'GET http://x/ [a: b c]'],
    ["curl -H 'Host: shop.example' http://10.0.0.1:8080/a", 'GET http://shop.example/a'],
    ['curl -XPUT x/a', 'PUT http://x/a'],
    ['curl -X DELETE x/a', 'DELETE http://x/a'],
    ['curl -I x/a', 'HEAD http://x/a'],
    ["curl x/a -d '{}'", 'POST http://x/a [content-type: application/x-www-form-urlencoded]'],
    ["curl x/a --json '{}'", 'POST http://x/a [content-type: application/json, accept: application/json]'],
    ["curl -d '{}' -H 'content-type: text/plain' x", 'POST http://x/ [content-type: text/plain]'],
    ['curl -G -d a=1 x', 'GET http://x/?a=1'],
    ['curl -G -d a=1 --data-urlencode "q=a b&c" "x/?z"', 'GET http://x/?z&a=1&q=a%20b%26c'],
    ["curl -H 'accept:' -H 'a: 1' x", 'GET http://x/ [a: 1]'],
    ["curl -H $'a: it\\'s \\x41\\u0042' x", "GET http://x/ [a: it's AB]"],
    ['curl x/a | jq .', 'GET http://x/a'],
    ['curl x/a 2>/dev/null >out', 'GET http://x/a'],
    ['curl x/a && echo y', 'GET http://x/a'],
    ["curl -d '<a|b>' x/a", 'POST http://x/a [content-type: application/x-www-form-urlencoded]'],
    ['curl x/a?b=1&c=2', 'GET http://x/a?b=1&c=2'],
    [
      'wget https://x/a',
      'expected a request, such as GET shop.example/cart, or a curl or grpcurl line, got "wget https://x/a"',
    ],
    ['curl -u me:pä x', 'GET http://x/ [authorization: Basic bWU6cMOk]'],
    ["curl --user me -H 'Authorization: Bearer t' x", 'GET http://x/ [Authorization: Bearer t]'],
    ['curl -b "s=1" -A me x', 'GET http://x/ [cookie: s=1, user-agent: me]'],
    ['curl -so /dev/null -w "%{http_code}" x/a', 'GET http://x/a'],
    ['curl \\\n  -H "a: 1" \\\n  x/a', 'GET http://x/a [a: 1]'],
    ["curl -H 'empty;' x", 'GET http://x/ [empty: ]'],
    ["curl 'https://x/?q=a b&c'", 'GET https://x/?q=a b&c'],
    ['curl', 'expected a URL after curl, got none'],
    ['curl -v', 'expected a URL after curl, got none'],
    ["curl 'x", "expected ' at the end of the text, got none"],
    ['curl ftp://x', 'expected http or https, got "ftp"'],
    ['curl http://x:http/', 'expected a port from 0 to 65535 in "x:http", got "http"'],
    ['GET shop.example:70000/cart', 'expected a port from 0 to 65535 in "shop.example:70000", got "70000"'],
    ['GET [::1]:x/', 'expected a port from 0 to 65535 in "[::1]:x", got "x"'],
    ['shop.example: shop.Cart/Add', 'expected a port from 0 to 65535 in "shop.example:", got ""'],
    ['GET [::1]/', 'GET http://[::1]/'],
    ['GET u:p@x:80/', 'GET http://x:80/'],
  ])('%s is %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  it.each([
    ['shop.Cart/Add', `POST http:///shop.Cart/Add [${grpc}]`],
    ['/shop.v1.Cart/Add', `POST http:///shop.v1.Cart/Add [${grpc}]`],
    ['shop.example:80 shop.Cart/Add', `POST http://shop.example:80/shop.Cart/Add [${grpc}]`],
    ['grpcurl -plaintext a:1 shop.Cart/Add', `POST http://a:1/shop.Cart/Add [${grpc}]`],
    ['grpcurl a:1 shop.Cart.Add', `POST https://a:1/shop.Cart/Add [${grpc}]`],
    [
      "grpcurl -plaintext -d '{}' -authority shop -H 'user: bob' a:1 shop.Cart/Add",
      `POST http://shop/shop.Cart/Add [${grpc}, user: bob]`,
    ],
    ['grpcurl -plaintext -d @ a:1 shop.Cart/Add <<EOM', `POST http://a:1/shop.Cart/Add [${grpc}]`],
    ['grpcurl a:1 list', 'expected an address and a method after grpcurl, got a:1 list'],
    ['grpcurl -plaintext', 'expected an address and a method after grpcurl, got neither'],
  ])('%s is %s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  it('is read from the default access log of Envoy, from that of Istio, and from JSON', () => {
    const line =
      '[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0" "locations" "tcp://10.0.2.1:80"';
    expect(parsed(line)).toBe('POST http://locations/api/v1/locations [user-agent: nsq2http]');
    const ofIstio =
      '[2020-11-25T21:26:18.409Z] "GET /status/418 HTTP/1.1" 418 - via_upstream - "-" 0 135 4 4 "-" "curl/7.73.0" "84961386" "httpbin:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 10.44.1.23:37652 outbound_.8000_._.httpbin.foo.svc.cluster.local default';
    expect(parsed(ofIstio)).toBe('GET http://httpbin:8000/status/418 [user-agent: curl/7.73.0]');
    expect(parsed('{"method":"GET","path":"/a","authority":"shop","user_agent":"-"}')).toBe(
      'GET http://shop/a',
    );
    expect(parsed(`2020-11-25T21:26:18Z ${ofIstio}`)).toBe(parsed(ofIstio));
    const ofRpc =
      '[2020-11-25T21:26:18.409Z] "POST /shop.Cart/Add HTTP/2" 200 - 5 6 2 1 "-" "grpc-go/1.60.0" "id" "shop:80" "10.0.0.1:80"';
    expect(parsed(ofRpc)).toBe(
      'POST http://shop:80/shop.Cart/Add [content-type: application/grpc, user-agent: grpc-go/1.60.0]',
    );
    expect(parsed('[x] "GET" 1')).toMatch(/^expected the default format/);
    expect(parsed('{"method":1}')).toMatch(/^expected an access log in JSON/);
    expect(parsed('{')).toMatch(/^expected an access log in JSON/);
  });

  it('is an error with the expected form otherwise', () => {
    expect(parsed('')).toBe('expected a request, such as GET shop.example/cart, got nothing');
    expect(parsed('two words and more')).toMatch(
      /^expected a request, such as .*, got "two words and more"$/,
    );
    expect(parsed('x'.repeat(70_000))).toBe('expected at most 65536 characters, got 70000');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'curl ', 'grpcurl ', '[x] "', '{', 'GET '),
        fc.string({ maxLength: 60 }),
        (start, text) => typeof parseRequest(start + text).ok === 'boolean',
      ),
    );
  });

  it('is written so that it is read as the same request', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9'"\\ :;,=$-]{0,12}$/).map((text) => text.trim());
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      scheme: fc.constantFrom('http' as const, 'https' as const),
      authority: fc.constantFrom('shop.example', 'a:80', '[::1]:8080'),
      path: fc.constantFrom('/', '/cart', '/a?b=c&d', "/it's"),
      headers: fc.array(fc.tuple(fc.constantFrom('x-color', 'x-a'), word), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(request, (each) => {
        expect(parseRequest(formatRequest(each))).toEqual({ ok: true, request: each });
      }),
    );
  });
});

it('splits words as a shell does', () => {
  expect(splitWords(`a 'b c' "d \\"e\\" f" g\\ h i'j'k ''`)).toEqual({
    ok: true,
    words: ['a', 'b c', 'd "e" f', 'g h', 'ijk', ''],
  });
});
