/** The part of the package that is used. The package ships no types; @types/compression would add those of Express. */
declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { BrotliOptions, ZlibOptions } from 'node:zlib';

  export default function compression(
    options: ZlibOptions & {
      readonly brotli?: BrotliOptions;
      readonly filter?: (request: IncomingMessage, response: ServerResponse) => boolean;
    },
  ): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}
