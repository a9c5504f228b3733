import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { fileTypeOf, isWebPage } from '../../src/provider/v2-file-type.ts';

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
const typeOf = (content: Buffer) => fileTypeOf({ head: content, tail: content }).extension;

describe('what a file is', () => {
  test.each<[content: string, extension: string]>([
    ['\u00ff\u00d8\u00ff\u00e0', '.jpg'],
    ['GIF87a...', '.gif'],
    ['GIF89a...', '.gif'],
    ['GIF88a\0', '.bin'],
    ['\u0089PNG\r\n\u001a\n', '.png'],
    ['RIFF\0\0\0\0WEBP', '.webp'],
    ['RIFF\0\0\0\0WAVE', '.wav'],
    ['OggS\0', '.ogg'],
    ['ID3\u0004\0', '.mp3'],
    ['\0\0\0\u0018ftypM4B ', '.m4a'],
    ['\0\0\0\u0018ftypmp42', '.mp4'],
    ['\0\0\0\u0018ftypavc1', '.mp4'],
    ['\0\0\0\u0018ftypM4V ', '.mp4'],
    ['\0\0\0\u0018ftypMSNV', '.mp4'],
    ['\0\0\0\u0018ftypdash', '.mp4'],
    ['\0\0\0\u0018ftypqt  ', '.mp4'],
    ['PK\u0003\u0004 xl/workbook.xml', '.xlsx'],
    ['\0GIF89a', '.bin'],
    [' \n<svg onload="alert(1)"/>', '.bin'],
    ['RIFF\0\0\0\0AVI ', '.bin'],
    ['\0\0\0\u0018ftypisom', '.mp4'],
    ['\0\0\0\u0018ftyp3gp4', '.mp4'],
    ['\0\0\0\u0018ftypheic', '.bin'],
    ['\0\0\0\u0018ftypM4A ', '.m4a'],
    ['\u00ff\u00fb\u0090\0', '.mp3'],
    ['\u00ff\u00f1\u0050\u0080', '.bin'],
    ['\u00ff\u00fea\0b\0', '.bin'],
    ['PK\u0003\u0004 some.zip', '.bin'],
    ['PK\u0003\u0004 word/document.xml', '.docx'],
    ['word/document.xml', '.txt'],
    ['MZ\u0090\0', '.bin'],
    ['\u007fELF', '.bin'],
    ['#!/bin/sh\nrm -rf x\n', '.txt'],
    ['<svg xmlns="x" onload="alert(1)"/>', '.bin'],
    ['<?xml version="1.0"?><svg/>', '.bin'],
    ['%PDF-1.7', '.pdf'],
    [' %PDF-1.7', '.txt'],
    ['a,b\n1,2\n', '.csv'],
    ['a;b;c\r\n1;2;3', '.csv'],
    ['a\tb\n1\t2', '.csv'],
    ['Hello, you\nHow are you', '.txt'],
    ['one line, only', '.txt'],
    ['caf\u00e9 au lait', '.bin'],
    ['a\0b', '.bin'],
    ['bell\u0007', '.bin'],
  ])('%j is %s', (content, extension) => {
    expect(typeOf(bytes(content))).toBe(extension);
  });

  test('is told from text even when a character is cut at the end of what is looked at', () => {
    const text = Buffer.from('Habari \u{1f44d}');
    expect(typeOf(text.subarray(0, text.length - 2))).toBe('.txt');
  });

  test('has an extension of the list whatever its bytes are', () => {
    const known = /^\.(jpg|png|gif|webp|wav|pdf|m4a|mp4|ogg|mp3|docx|xlsx|csv|txt|bin)$/;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (content) => {
        expect(typeOf(Buffer.from(content))).toMatch(known);
      }),
    );
  });
});

describe('a web page', () => {
  test.each([
    '<!DOCTYPE HTML>',
    '<html lang="en">',
    ' \n<head>',
    '\ufeff<html>',
    '<!-- a --><body>',
    '<script>',
  ])('is %j', (start) => {
    expect(isWebPage(Buffer.from(start))).toBe(true);
  });
  test.each(['<svg>', '<htmlish', 'Hello <html>', '', '%PDF <html>'])('is not %j', (start) => {
    expect(isWebPage(Buffer.from(start))).toBe(false);
  });
});
