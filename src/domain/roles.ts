/** What a person or a program may do, from least to most: each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;
/** A role of ROLES. */
export type Role = (typeof ROLES)[number];

/** True: who has `role` may do what needs `needed`. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** True: the text is the name of a role. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** The name of whoever opened the link of this machine; no user can have it. */
export const HOME_NAME = 'this machine';

/** A program as the audit names it, by the name of its token. */
export function programName(token: string): string {
  return `program ${token}`;
}

const MOST_NAME_CHARS = 64;

/**
 * The name of a user or a program as it is kept: in small letters, so that "Mary" and "mary" are one. Null: it is no
 * such name. A name has no space, because the audit writes "operator otto" of whoever sits at the machine.
 */
export function accountName(text: string): string | null {
  const name = text.trim().normalize('NFKC').toLowerCase();
  return name.length <= MOST_NAME_CHARS && /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@-]*$/u.test(name) ? name : null;
}
