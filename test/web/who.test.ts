import { expect, test } from 'vitest';
import { actorOf, auditName, type Principal } from '../../src/web/who.ts';

const person = (role: Principal['role']): Principal => ({
  kind: 'person',
  key: { user: 'user 1' },
  name: 'mary',
  role,
  from: '10.0.0.7',
  identities: ['mary', 'user 1'],
});
const others = { role: 'admin', from: '127.0.0.1' } as const;
const home: Principal = {
  ...others,
  kind: 'home',
  key: 'home',
  name: 'this machine',
  identities: ['this machine'],
};
const program: Principal = {
  ...others,
  kind: 'program',
  key: { token: 'digest' },
  name: 'program billing',
  identities: ['program billing', 'mary', 'user 1'],
};

test.each([
  [person('viewer'), false],
  [person('operator'), false],
  [person('approver'), true],
  [person('admin'), true],
  // Whoever sits at the machine may be anybody, and a program says yes to everything.
  [home, false],
  [program, false],
])('%j may approve: %s', (who, mayApprove) => {
  expect(actorOf({ who })).toEqual({ name: who.name, identities: who.identities, mayApprove });
});

test('nobody acts without a name', () => {
  expect(() => actorOf({ who: null })).toThrow('nobody');
  expect(auditName(null)).toBe('unknown');
  expect(auditName(home)).toBe('this machine');
});
