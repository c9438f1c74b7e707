# proc: run a program that has no file
import os,ctypes
fd=os.memfd_create('x'); os.write(fd,b'#!/bin/sh\ncat @HOME@/.secrets/app_secret.txt'); os.execve(fd,['x'],{})
