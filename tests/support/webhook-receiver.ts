import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { WebhookMessage } from '@/lib/views/issues/build-alert';

/** A real HTTP server that answers with these statuses, then with 200. */
export class WebhookReceiver {
  readonly received: WebhookMessage[] = [];
  readonly statuses: number[] = [];
  requests = 0;
  readonly server: Server = createServer((request, response) => {
    this.requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = this.statuses.shift() ?? 200;
      if (status === 200) this.received.push(JSON.parse(Buffer.concat(chunks).toString()) as WebhookMessage);
      response.writeHead(status).end();
    });
  });

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook?key=1`;
  }
}
