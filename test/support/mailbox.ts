import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server on this machine, and the mails that it has taken. */
export interface Mailbox {
  /** Host and port. */
  url: string;
  mails: string[];
  close(): Promise<void>;
}

/** Opens a mailbox. `port` 0: a free one. `user` null: no login is asked for. */
export async function openMailbox({
  port = 0,
  user = null,
  starttls = false,
}: {
  port?: number;
  user?: string | null;
  starttls?: boolean;
} = {}): Promise<Mailbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: user === null,
    disabledCommands: starttls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) =>
      auth.username === user ? done(null, { user }) : done(new Error(`no ${auth.password}`)),
    onData: (stream, _session, done) => {
      let mail = '';
      stream.on('data', (chunk) => (mail += String(chunk)));
      stream.on('end', () => {
        mails.push(mail);
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return { url, mails, close: () => new Promise((resolve) => server.close(resolve)) };
}
